import { z } from 'zod';

/** The last moment that a calendar knows; what is later cannot be written as a date. */
const LAST_MOMENT = 8.64e15;

/** When something happened, in whole milliseconds since 1970. */
export const eventTimeSchema = z.int().min(0).max(LAST_MOMENT);
