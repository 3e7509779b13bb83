import { actionWords, type Entry, type RequestAnswer } from '@baton/protocol';
import { usePeople } from '../data/people.ts';
import { Icon } from '../design/icon.tsx';
import styles from './requests.module.css';

type Settled = Extract<Entry, { kind: 'permission' | 'question' }>;

const WHO: Readonly<Record<string, string>> = {
  policy: 'by a rule',
  nobody: 'because nobody was there to ask',
  timeout: 'because nobody answered in time',
  agent: 'by the agent itself',
  stop: 'because the task was stopped',
};
const HOW_LONG: Readonly<Record<string, string>> = {
  once: 'once',
  session: 'for the session',
  always: 'for always',
};

/** How a request was settled, and by whom. */
export function SettledRequest({ entry }: { entry: Settled }) {
  const nameOf = usePeople();
  const person = nameOf(entry.answeredBy);
  const who = person ? `by ${person}` : (WHO[entry.by ?? ''] ?? '');
  const isAllowed = entry.kind === 'question' ? hasAnswers(entry) : decisionOf(entry) === 'allow';
  const reason = entry.reason ?? reasonOf(entry.answer);
  return (
    <div className={styles.settled} data-allowed={isAllowed || undefined}>
      <Icon name={isAllowed ? 'check' : 'close'} size={15} />
      <span dir="auto">
        {entry.kind === 'question' ? <Answers entry={entry} /> : permissionWords(entry)} {who}
        {reason && `: ${reason}`}
        {entry.open && ', on its way to the agent'}
      </span>
    </div>
  );
}

function permissionWords(entry: Extract<Settled, { kind: 'permission' }>): string {
  const { request, answer } = entry;
  const what = actionWords(request.tool, request.action);
  const decision = decisionOf(entry);
  if (decision === undefined || decision === 'cancelled') return `Not answered: ${what},`;
  // The agent is told about this once; for how long a person meant it only their answer says.
  const scope = (answer && 'scope' in answer ? answer.scope : undefined) ?? entry.scope;
  return decision === 'allow'
    ? `Allowed ${HOW_LONG[scope ?? 'once']}: ${what},`
    : `Denied: ${what},`;
}

function Answers({ entry }: { entry: Extract<Settled, { kind: 'question' }> }) {
  const answers = answersOf(entry);
  return entry.questions.map(({ id, question }) => (
    <span key={id}>
      {question} <strong>{answers?.[id]?.join(', ') ?? 'not answered'}</strong>,{' '}
    </span>
  ));
}

function decisionOf({ decision, answer }: Extract<Settled, { kind: 'permission' }>) {
  return decision ?? (answer && 'decision' in answer ? answer.decision : undefined);
}

function answersOf({ answers, answer }: Extract<Settled, { kind: 'question' }>) {
  return answers ?? (answer && 'answers' in answer ? answer.answers : undefined);
}

function hasAnswers(entry: Extract<Settled, { kind: 'question' }>): boolean {
  return answersOf(entry) !== undefined;
}

function reasonOf(answer: RequestAnswer | undefined): string | undefined {
  return answer && 'reason' in answer ? answer.reason : undefined;
}
