import { Button } from '../design/button.tsx';
import { chooseDiffLook, useDiffLook } from './diff-look.ts';

const WORDS = { split: 'Show side by side', unified: 'Show in one column' } as const;

/** Shows changes in the other way, everywhere. */
export function LookButton() {
  const other = useDiffLook() === 'split' ? 'unified' : 'split';
  return (
    <Button small look="quiet" onClick={() => chooseDiffLook(other)}>
      {WORDS[other]}
    </Button>
  );
}
