import { Button } from '../design/button.tsx';
import { chooseDiffLayout, useDiffLayout } from './diff-layout.ts';

const WORDS = { split: 'Split view', unified: 'Unified view' } as const;

/** Switches all diffs to the other layout. */
export function LayoutButton() {
  const other = useDiffLayout() === 'split' ? 'unified' : 'split';
  return (
    <Button small look="quiet" onClick={() => chooseDiffLayout(other)}>
      {WORDS[other]}
    </Button>
  );
}
