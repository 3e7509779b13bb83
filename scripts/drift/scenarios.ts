import type { Backend, RunInput } from '@baton/engine/definition/backend';
import type { AgentEvent, PendingRequest, RequestAnswer } from '@baton/protocol';
import type { Step } from '../../testbed/fake-model/index.ts';

/** Something that every release of an agent is made to do. */
export type Scenario = {
  name: string;
  steps: readonly Step[];
  options?: Partial<RunInput>;
  /** The event at which the run is stopped. */
  stopAt?(event: AgentEvent): boolean;
  /** A second prompt in the same session, by resume; it uses as many tokens as the first. */
  resumed?: readonly Step[];
  /** Two agents work at the same time: their tokens and last words depend on which one is quicker. */
  concurrent?: boolean;
};

const allow = () => ({ decision: 'allow' }) as const;
const deny = () => ({ decision: 'deny', reason: 'Not today.' }) as const;
const answerAll = ({ kind }: PendingRequest): RequestAnswer =>
  kind === 'question' ? { declined: true } : allow();

const PLAYED: readonly Scenario[] = [
  { name: 'plain', steps: [{ text: 'A plain answer.' }] },
  { name: 'thinking', steps: [{ thinking: 'A thought.', text: 'An answer after a thought.' }] },
  {
    name: 'tools',
    steps: [
      { text: 'Running.', tools: [{ shell: 'echo hello' }, { shell: 'exit 3' }] },
      { text: 'Writing.', tools: [{ write: { path: 'hello.txt', content: 'hello\n' } }] },
      { text: 'Done.' },
    ],
  },
  {
    name: 'sub-agent',
    concurrent: true,
    steps: [{ tools: [{ subagent: { prompt: 'Say hello.' } }] }, { text: 'It said hello.' }],
  },
  {
    name: 'denied',
    steps: [{ tools: [{ shell: 'touch denied.txt' }] }, { text: 'It was denied.' }],
    options: { onRequest: deny },
  },
  {
    name: 'print',
    steps: [{ text: 'Reading.', tools: [{ shell: 'echo printed' }] }, { text: 'Printed.' }],
    options: { transport: 'print' },
  },
  {
    name: 'resume',
    steps: [{ text: 'The first answer.' }],
    resumed: [{ text: 'The second answer.' }],
  },
  {
    name: 'stop in a tool',
    steps: [{ tools: [{ shell: 'sleep 600' }] }],
    stopAt: (event) => event.type === 'tool.started',
  },
  {
    name: 'stop in an answer',
    steps: [{ hang: 'mid-stream' }],
    stopAt: (event) => event.type === 'message.delta',
  },
  { name: 'key refused', steps: [{ fault: 'auth' }] },
  { name: 'rate limited', steps: [{ fault: 'rate_limited' }] },
  { name: 'overloaded', steps: [{ fault: 'overloaded' }] },
  { name: 'context too long', steps: [{ fault: 'context_too_long' }] },
  { name: 'connection dropped', steps: [{ drop: 'mid-stream' }] },
];

/** Chosen so that each kind of line that an agent prints is seen at least once. */
const SCENARIOS: readonly Scenario[] = PLAYED.map((scenario) => ({
  ...scenario,
  steps: scenario.steps.map(withUsage),
  ...(scenario.resumed ? { resumed: scenario.resumed.map(withUsage) } : {}),
  options: { onRequest: answerAll, ...scenario.options },
}));

/** Returns the scenarios that a backend can play. */
export function scenariosFor({ capabilities }: Pick<Backend, 'capabilities'>): Scenario[] {
  return SCENARIOS.filter(({ options = {} }) => {
    return options.transport === undefined || capabilities.transports.includes(options.transport);
  });
}

/** The same usage for each answer, so that tokens and cost of two runs can be compared. */
function withUsage(step: Step): Step {
  const isAnswer = 'text' in step || 'tools' in step;
  return isAnswer ? { ...step, usage: { input: 100, output: 10 } } : step;
}
