import { Empty } from '../design/empty.tsx';
import { useSession } from './open-session.tsx';
import styles from './session.module.css';

/** Says what to do in a session without a prompt. */
export function NothingYet() {
  const session = useSession();
  return (
    <div className={styles.empty}>
      {session.forked_from ? (
        <Empty icon="fork" title="Here it goes on from another session.">
          The agent gets to know what happened there. Write below what shall be done next.
        </Empty>
      ) : (
        <Empty icon="send" title="Nothing has happened here yet.">
          Write below what shall be done.
        </Empty>
      )}
    </div>
  );
}
