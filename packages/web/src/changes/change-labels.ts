import type { ChangedFileRecord } from '@baton/client';

/** Labels of the kinds of changes. */
export const KIND_WORDS: Readonly<
  Record<ChangedFileRecord['kind'], { letter: string; long: string }>
> = {
  add: { letter: 'A', long: 'Added' },
  edit: { letter: 'M', long: 'Changed' },
  delete: { letter: 'D', long: 'Deleted' },
  rename: { letter: 'R', long: 'Renamed' },
};
