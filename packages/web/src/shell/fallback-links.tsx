import { useMay } from '../data/daemon.tsx';
import { ButtonLink } from '../design/button-link.tsx';

/** Links for a page that shows nothing, such as one that was not found. */
export function FallbackLinks() {
  const mayAct = useMay('member');
  return (
    <>
      <ButtonLink href="/board">Board</ButtonLink>
      {mayAct && <ButtonLink href="/">New task</ButtonLink>}
    </>
  );
}
