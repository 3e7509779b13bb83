import { useMay } from '../data/daemon.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Kbd } from '../design/kbd.tsx';
import { MODIFIER } from '../text/modifier.ts';
import { usePlaces } from './places.ts';
import styles from './shortcut-help.module.css';

const EVERYWHERE: readonly [keys: string, words: string][] = [
  [`${MODIFIER} K`, 'Search or jump to…'],
  ['?', 'Keyboard shortcuts'],
];
const NEW_TASK: readonly [keys: string, words: string][] = [['c', 'New task']];
const SESSION: readonly [keys: string, words: string][] = [
  ['Enter', 'Send'],
  ['Shift Enter', 'Insert a line break'],
  [`${MODIFIER} Enter`, 'Submit form'],
  ['Esc', 'Blur the composer; press again to stop the agent'],
  ['/', 'Focus the composer'],
  ['y', 'Allow once'],
  ['s Enter', 'Allow for this session'],
  [`a ${MODIFIER} Enter`, 'Always allow'],
  ['d', 'Deny with a reason'],
  ['1–9', 'Select an option; Enter to submit'],
];
const CHANGES: readonly [keys: string, words: string][] = [
  ['j', 'Next file'],
  ['k', 'Previous file'],
  ['n', 'Next change in the files'],
  ['p', 'Previous change in the files'],
  ['v', 'Mark the file as viewed, or not'],
  ['x', 'Expand or collapse the file; or Enter'],
  ['/', 'Filter files'],
];
const COMMENT: readonly [keys: string, words: string][] = [['c', 'Comment on the current change']];

/** Lists the keys that work. */
export function ShortcutHelp({ open, onClose }: { open: boolean; onClose: () => void }) {
  const mayAct = useMay('member');
  const places = usePlaces().map(({ key, label }): [string, string] => [`g ${key}`, label]);
  return (
    <Dialog title="Keyboard shortcuts" open={open} onClose={onClose} wide isToRead>
      <div className={styles.all}>
        <Keys title="Global" keys={[...EVERYWHERE, ...(mayAct ? NEW_TASK : []), ...places]} />
        {mayAct && <Keys title="Sessions and inbox" keys={SESSION} />}
        <Keys title="Changes of a session" keys={[...CHANGES, ...(mayAct ? COMMENT : [])]} />
      </div>
      <p className={styles.note}>Turn off single-key shortcuts in Settings → Account.</p>
    </Dialog>
  );
}

function Keys({ title, keys }: { title: string; keys: readonly [string, string][] }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl className={styles.keys}>
        {keys.map(([key, words]) => (
          <div key={key} className={styles.row}>
            <dt>
              {key.split(' ').map((each) => (
                <Kbd key={each}>{each}</Kbd>
              ))}
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
