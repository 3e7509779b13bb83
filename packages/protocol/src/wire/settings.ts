import { z } from 'zod';
import type { Closed } from '../closed.ts';
import { momentSchema } from '../records/session-record.ts';
import type { ServiceWire } from './service.ts';

/** A setting of the daemon. */
const settingRecordSchema = z.looseObject({
  name: z.string(),
  value: z.unknown(),
  default: z.unknown(),
  about: z.string(),
  updated_at: momentSchema.nullable(),
});
export type SettingRecord = Closed<z.output<typeof settingRecordSchema>>;

export const settingsWire = {
  find: { result: z.array(settingRecordSchema) },
  get: { result: settingRecordSchema },
  patch: { data: z.strictObject({ value: z.unknown() }), result: settingRecordSchema },
} as const satisfies ServiceWire;
