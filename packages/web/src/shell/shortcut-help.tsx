import { useMay } from '../data/daemon.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Kbd } from '../design/kbd.tsx';
import { MODIFIER } from '../text/modifier.ts';
import { usePlaces } from './places.ts';
import styles from './shortcut-help.module.css';

const EVERYWHERE: readonly [keys: string, words: string][] = [
  [`${MODIFIER} K`, 'Go to anything'],
  ['?', 'These keys'],
];
const NEW_TASK: readonly [keys: string, words: string][] = [['c', 'New task']];
const SESSION: readonly [keys: string, words: string][] = [
  ['Enter', 'Send what you wrote'],
  ['Shift Enter', 'A new line'],
  [`${MODIFIER} Enter`, 'Send a form, also from a field of several lines'],
  ['Esc', 'Leave the text; once more: stop the agent, with a question first'],
  ['/', 'Write'],
  ['y', 'Allow what is asked, once'],
  ['s Enter', 'Allow it for the session'],
  [`a ${MODIFIER} Enter`, 'Always allow it'],
  ['d', 'Deny it, with a reason'],
  ['1–9', 'Choose an answer to a question; Enter gives it'],
];

/** Lists the keys that work. */
export function ShortcutHelp({ open, onClose }: { open: boolean; onClose: () => void }) {
  const mayAct = useMay('member');
  const places = usePlaces().map(({ key, label }): [string, string] => [`g ${key}`, label]);
  return (
    <Dialog title="Keys" open={open} onClose={onClose} wide isToRead>
      <div className={styles.all}>
        <Keys title="Everywhere" keys={[...EVERYWHERE, ...(mayAct ? NEW_TASK : []), ...places]} />
        {mayAct && <Keys title="In a session and in the inbox" keys={SESSION} />}
      </div>
      <p className={styles.note}>Single keys can be turned off in the settings of your account.</p>
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
