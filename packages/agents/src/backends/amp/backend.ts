import type { Adapter } from '@baton/engine/definition/backend-entry';
import { isPrintedLine, printedText } from '../../dialects/claude-stream-json/printed-output.ts';
import { ampCredentials } from './amp-home.ts';
import { AMP, ampDialect } from './dialect.ts';
import { PROVIDER_OPTIONS, print } from './drivers.ts';

/** Adapter for Amp, loaded on first use. */
export const ampAdapter: Adapter = {
  drivers: [print],
  dialects: [
    { transport: 'print', recognises: isPrintedLine, create: (out) => ampDialect(out) },
    { transport: 'plain', recognises: () => false, create: (out) => printedText(out, AMP) },
  ],
  providerOptions: PROVIDER_OPTIONS,
  credentials: ampCredentials,
};
