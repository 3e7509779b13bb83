import { Button } from '../design/button.tsx';
import { chooseIgnoreSpace, useIgnoreSpace } from './ignore-space.ts';

/** Leaves out changes of white space in all diffs, or shows them again. */
export function SpaceButton() {
  const isIgnored = useIgnoreSpace();
  return (
    <Button small look="quiet" onClick={() => chooseIgnoreSpace(!isIgnored)}>
      {isIgnored ? 'Show whitespace' : 'Hide whitespace'}
    </Button>
  );
}
