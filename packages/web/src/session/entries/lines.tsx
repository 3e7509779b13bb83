import { shortened, showUnseenInText } from '@baton/protocol';
import type { ReactNode } from 'react';
import { useAgentName } from '../../agents/agent-name.ts';
import { usePeople } from '../../data/people.ts';
import { Button } from '../../design/button.tsx';
import { Icon, type IconName } from '../../design/icon.tsx';
import { some } from '../../text/amounts.ts';
import { MODE_NAMES } from '../../text/mode-names.ts';
import { useOpen } from '../feed/open-session.tsx';
import styles from './entries.module.css';
import type {
  ChangeEntry,
  NoticeEntry,
  PromptEntry,
  StopEntry,
  UnparsedEntry,
} from './entry-of.ts';
import { PromptMenu } from './prompt-menu.tsx';

/** So much of a prompt that never began is worth telling. */
const LONGEST_PROMPT = 120;

/** A notice: a retry, a limit, a warning; or a steering message. */
export function NoticeLine({ entry: { level, code, message } }: { entry: NoticeEntry }) {
  if (code === 'steered') return <Steered text={message} />;
  const icon = level === 'info' ? (code === 'retry' ? 'retry' : 'info') : 'warning';
  return (
    <Line icon={icon} level={level}>
      {showUnseenInText(message)}
    </Line>
  );
}

/** A stop was requested. */
export function StopLine({ entry: { by, reason } }: { entry: StopEntry }) {
  const nameOf = usePeople();
  const who = nameOf(by);
  return (
    <Line icon="stop">
      Stop requested{who && ` by ${who}`}
      {reason && (
        <>
          : <bdi>{showUnseenInText(reason)}</bdi>
        </>
      )}
    </Line>
  );
}

/** A queued prompt was cancelled: it never started. */
export function CancelledLine({ stop, prompt }: { stop: StopEntry; prompt: PromptEntry }) {
  const nameOf = usePeople();
  const who = nameOf(stop.by);
  return (
    <div className={styles.cancelled}>
      <Line icon="close">
        Cancelled while queued{who && `, by ${who}`}
        {stop.reason && (
          <>
            {' '}
            (<bdi>{showUnseenInText(stop.reason)}</bdi>)
          </>
        )}
        : <bdi>{shortened(prompt.text, LONGEST_PROMPT)}</bdi>
      </Line>
      <PromptMenu entry={prompt} />
    </div>
  );
}

/** The session itself was changed. */
export function ChangeLine({ entry: { by, changes } }: { entry: ChangeEntry }) {
  const nameOf = usePeople();
  const agentName = useAgentName();
  const who = nameOf(by);
  return (
    <Line icon="settings">
      <bdi>{changeWords(changes, agentName)}</bdi>
      {who && `, by ${who}`}
    </Line>
  );
}

/** The number of unrecognized lines; the raw events have them. */
export function UnparsedLine({ entry: { count = 1 } }: { entry: UnparsedEntry }) {
  const { showRaw } = useOpen();
  return (
    <Line icon="question">
      {some(count, 'line')} of unrecognized output{' '}
      <Button small look="quiet" onClick={showRaw}>
        Show raw events
      </Button>
    </Line>
  );
}

function Steered({ text }: { text: string }) {
  return (
    <p className={`sign-line ${styles.steered}`}>
      <Icon name="send" size={15} />
      <span className={styles.faint}>Steered</span>
      <span className={styles.said} dir="auto">
        {showUnseenInText(text)}
      </span>
    </p>
  );
}

function Line({
  icon,
  level = 'info',
  children,
}: {
  icon: IconName;
  level?: NoticeEntry['level'];
  children: ReactNode;
}) {
  return (
    <p className={`sign-line ${styles.line}`} data-level={level}>
      <Icon name={icon} size={15} />
      <span dir="auto">{children}</span>
    </p>
  );
}

function changeWords(
  { title, backend, model, permissionMode, archived, requestPolicy }: ChangeEntry['changes'],
  agentName: (id: string) => string,
): string {
  const words = [
    title !== undefined && `Title: ${showUnseenInText(title)}`,
    backend !== undefined && `Agent: ${agentName(backend)}`,
    model !== undefined && `Model: ${model ?? 'agent default'}`,
    permissionMode !== undefined && `Permissions: ${MODE_NAMES[permissionMode] ?? permissionMode}`,
    requestPolicy !== undefined && 'Timeout policy for requests changed',
    archived !== undefined && (archived ? 'Archived' : 'Unarchived'),
  ];
  return words.filter(Boolean).join(' · ') || 'Session settings changed';
}
