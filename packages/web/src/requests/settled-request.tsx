import {
  actionLine,
  type Entry,
  givenAnswers,
  permissionOutcome,
  settledAction,
  settledBy,
  settledWhy,
  showUnseenInText,
} from '@baton/protocol';
import { usePeople } from '../data/people.ts';
import { Icon } from '../design/icon.tsx';
import { LiteralText } from '../design/literal-text.tsx';
import styles from './requests.module.css';

type Settled = Extract<Entry, { kind: 'permission' | 'question' }>;

/** The outcome of a request, and the person or mechanism that settled it. */
export function SettledRequest({ entry }: { entry: Settled }) {
  const nameOf = usePeople();
  const person = nameOf(entry.answeredBy);
  const who = person ? `by ${person}` : (settledBy(entry) ?? '');
  const isAllowed =
    entry.kind === 'question'
      ? givenAnswers(entry) !== undefined
      : permissionOutcome(entry).startsWith('allowed');
  const reason = settledWhy(entry);
  return (
    <div className={`sign-line ${styles.settled}`} data-allowed={isAllowed || undefined}>
      <Icon name={isAllowed ? 'check' : 'close'} size={15} />
      <span dir="auto">
        {entry.kind === 'question' ? <Answers entry={entry} /> : <Decision entry={entry} />} {who}
        {reason && (
          <>
            : <bdi>{reason}</bdi>
          </>
        )}
        {entry.open && ' · sending to the agent…'}
      </span>
    </div>
  );
}

function Decision({ entry }: { entry: Extract<Settled, { kind: 'permission' }> }) {
  const outcome = permissionOutcome(entry);
  return (
    <>
      {`${outcome.charAt(0).toUpperCase()}${outcome.slice(1)}: `}
      <LiteralText text={actionLine(entry.request.tool, settledAction(entry))} />,
    </>
  );
}

function Answers({ entry }: { entry: Extract<Settled, { kind: 'question' }> }) {
  const answers = givenAnswers(entry);
  return entry.questions.map(({ id, question }) => (
    <span key={id}>
      <bdi>{showUnseenInText(question)}</bdi>{' '}
      <strong dir="auto">{showUnseenInText(answers?.[id]?.join(', ') ?? 'not answered')}</strong>,{' '}
    </span>
  ));
}
