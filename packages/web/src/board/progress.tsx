import { actionWords, type Entry, type ListedTask } from '@baton/protocol';
import { useRecords } from '../data/queries.ts';
import styles from './progress.module.css';

/** What an agent is doing just now, in one line. */
export function Progress({ task: { session_id, cwd } }: { task: ListedTask }) {
  const { data } = useRecords(['tasks', 'progress', session_id], (client) =>
    client.transcript.find({ session_id, limit: 1 }),
  );
  const [entry] = data?.entries ?? [];
  const words = entry && wordsOf(entry, cwd);
  if (!words) return null;
  return (
    <p className={styles.progress} dir="auto">
      {words}
    </p>
  );
}

const LONGEST = 160;

function wordsOf(entry: Entry, cwd: string | undefined): string {
  switch (entry.kind) {
    case 'text':
      return entry.text.slice(-LONGEST);
    case 'thinking':
      return 'Thinking …';
    case 'tool':
      return actionWords(entry.name, entry.action, cwd);
    case 'permission':
      return `Asks: ${actionWords(entry.request.tool, entry.request.action, cwd)}`;
    case 'question':
      return `Asks: ${entry.questions[0]?.question ?? ''}`;
    case 'notice':
      return entry.message;
    default:
      return '';
  }
}
