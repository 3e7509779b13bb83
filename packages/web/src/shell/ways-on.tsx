import { useMay } from '../data/daemon.tsx';
import { ButtonLink } from '../design/button-link.tsx';

/** Where to go from a place at which nothing is. */
export function WaysOn() {
  const mayAct = useMay('member');
  return (
    <>
      <ButtonLink href="/board">Board</ButtonLink>
      {mayAct && <ButtonLink href="/">New task</ButtonLink>}
    </>
  );
}
