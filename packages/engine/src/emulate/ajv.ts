import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** A validator for JSON Schemas that users hand in, formats included. */
export function newAjv(): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, strict: false, logger: false });
  addFormats.default(ajv);
  return ajv;
}
