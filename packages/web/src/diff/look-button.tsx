import { Button } from '../design/button.tsx';
import { chooseDiffLook, useDiffLook } from './diff-look.ts';

const WORDS = {
  split: { long: 'Show side by side', short: 'Split' },
  unified: { long: 'Show in one column', short: 'Unified' },
} as const;

/** Shows changes in the other way, everywhere. */
export function LookButton({ words }: { words: 'long' | 'short' }) {
  const other = useDiffLook() === 'split' ? 'unified' : 'split';
  return (
    <Button small look="quiet" onClick={() => chooseDiffLook(other)}>
      {WORDS[other][words]}
    </Button>
  );
}
