import { z } from 'zod';

/** The last moment of a JavaScript `Date`. */
const LAST_MOMENT = 8.64e15;

/** Time of an event, in whole milliseconds since 1970. */
export const eventTimeSchema = z.int().min(0).max(LAST_MOMENT);
