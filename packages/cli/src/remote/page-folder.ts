import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the folder of the built page: next to the built command, or in its own package. */
export function pageFolder(): string | undefined {
  const places = ['page', '../../../web/dist'].map((place) => join(import.meta.dirname, place));
  return places.find((place) => existsSync(join(place, 'index.html')));
}
