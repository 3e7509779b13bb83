import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Benchmark, type Context, counted, type Finding, finding } from '../benchmark.ts';
import { scratchFolder } from '../world/leave-nothing.ts';
import { NODE, ROOT } from '../world/paths.ts';

const FEW = 1000;
const MANY = 10_000;
const PROGRAM = join(ROOT, 'bench/children/conversation.ts');

/** Cost for the daemon of streaming a long conversation. */
export const conversation: Benchmark[] = [
  {
    name: 'conversation',
    claim: `a conversation of ${MANY} entries is streamed in ten times the bytes of one of ${FEW}, with at most 1.2 times the heap`,
    run,
  },
];

async function run({ say }: Context): Promise<Finding[]> {
  say(`${FEW} entries`);
  const few = await streamed(FEW);
  say(`${MANY} entries`);
  const many = await streamed(MANY);
  const facts = { unit: '×', bound: 'at most', samples: 1 } as const;
  return [
    finding(
      {
        ...facts,
        what: 'bytes per entry',
        limit: 1.05,
        detail: { 'few bytes': few.bytes / FEW, 'many bytes': many.bytes / MANY },
      },
      counted(many.bytes / MANY / (few.bytes / FEW)),
    ),
    finding(
      {
        ...facts,
        what: 'heap after garbage collection',
        limit: 1.2,
        detail: { 'few MB': few.heapMb, 'many MB': many.heapMb },
      },
      counted(many.heapMb / few.heapMb),
    ),
  ];
}

async function streamed(entries: number): Promise<{ bytes: number; heapMb: number }> {
  const args = ['--expose-gc', PROGRAM, scratchFolder(), String(entries)];
  const { stdout } = await promisify(execFile)(NODE, args);
  return JSON.parse(stdout);
}
