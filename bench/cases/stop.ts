import { loadBackend } from '@baton/agents/registry/default-baton';
import type { Backend, RunInput } from '@baton/engine/definition/backend';
import type { AgentEvent } from '@baton/protocol';
import type { AgentName } from '../../testbed/agents.ts';
import type { Benchmark, Context, Finding } from '../benchmark.ts';
import { agentOf, watchExit } from '../measure/exit-watch.ts';
import { slowest } from '../measure/slowest.ts';
import { agentWorld } from '../world/agents.ts';
import { standIn } from '../world/stand-in.ts';

const STOPS = 20;
const QUICK_STOPS = 3;
/** Activities of an agent at the time of the stop: a key of the fake model, and the event that shows the activity. */
const MOMENTS = {
  'in the middle of sleep 60': { key: 'sleep', event: 'tool.started' },
  'silent in the middle of an answer': { key: 'silence', event: 'message.delta' },
} as const;
/** Time after that event until the agent is certainly in that state. */
const SETTLE_MS = 100;

type Stop = { totalMs: number; afterExitMs: number };
type Case = { backend: Backend; input: RunInput; sign: AgentEvent['type'] | 'start' };

/** Duration of a stop. */
export const stop: Benchmark[] = [
  ...(['claude', 'codex'] as const).map((agent) => ({
    name: `stop-${agent}`,
    claim: `a stop is reported within 50 ms of the agent's own exit (${agent})`,
    run: (context: Context) => stopAgent(agent, context),
  })),
  {
    name: 'stop-stubborn',
    claim: 'an agent that ignores everything is stopped within 1.5 s',
    async run(context) {
      const demo = await loadBackend('demo');
      // Ignored signals stay ignored in the programs that a shell starts.
      const { binary, folder } = standIn("trap '' INT TERM HUP; sleep 60 & wait; sleep 60");
      const deaf = await loadBackend('claude', { binary });
      const cases: Record<string, Case> = {
        demo: {
          backend: demo,
          input: { prompt: 'demo:stubborn', providerOptions: { pace: 0 } },
          sign: 'message.completed',
        },
        'an unresponsive Claude': {
          backend: deaf,
          input: { prompt: 'Go.', cwd: folder },
          sign: 'start',
        },
      };
      const findings: Finding[] = [];
      for (const [what, each] of Object.entries(cases)) {
        const stops = await stopOften(each, context);
        const facts = { what, unit: 'ms', limit: 1500, bound: 'at most' } as const;
        const times = stops.map(({ totalMs }) => totalMs);
        findings.push(slowest(facts, times));
      }
      return findings;
    },
  },
];

async function stopAgent(agent: AgentName, context: Context): Promise<Finding[]> {
  const { cwd, env, binary } = await agentWorld(agent);
  const backend = await loadBackend(agent, { binary });
  const findings: Finding[] = [];
  for (const [what, { key, event }] of Object.entries(MOMENTS)) {
    const input = { prompt: `[[${key}]] go`, permissionMode: 'allow-all', cwd, env } as const;
    const stops = await stopOften({ backend, input, sign: event }, context);
    const facts = { what, unit: 'ms', limit: 50, bound: 'at most' } as const;
    const times = stops.map(({ afterExitMs }) => afterExitMs);
    findings.push(slowest(facts, times));
  }
  return findings;
}

async function stopOften(each: Case, { quick, say }: Context): Promise<Stop[]> {
  const stops: Stop[] = [];
  while (stops.length < (quick ? QUICK_STOPS : STOPS)) {
    stops.push(await stopOnce(each));
    say(`${stops.length} stops`);
  }
  return stops;
}

async function stopOnce({ backend, input, sign }: Case): Promise<Stop> {
  const started = Promise.withResolvers<void>();
  const run = backend.run({ ...input, onLaunch: () => sign === 'start' && started.resolve() });
  const reading = (async () => {
    for await (const { type } of run) if (type === sign) started.resolve();
  })();
  await started.promise;
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const { exitedAt } = await watchExit(agentOf(run.runId));
  const requestedAt = performance.now();
  const { state, reason } = await run.cancel();
  const reportedAt = performance.now();
  await reading;
  if (state !== 'stopped') throw new Error(`The agent was not stopped: ${reason}`);
  return { totalMs: reportedAt - requestedAt, afterExitMs: reportedAt - (await exitedAt) };
}
