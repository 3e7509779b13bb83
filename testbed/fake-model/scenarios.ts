import type { FaultKind, Step } from './steps.ts';

export interface Scenario {
  about: string;
  steps: Step[];
}

const faults: [FaultKind, string][] = [
  ['bad_request', 'the request makes no sense to the vendor'],
  ['auth', 'the key is not accepted'],
  ['forbidden', 'the key may not do this'],
  ['not_found_model', 'the model does not exist'],
  ['rate_limited', 'too many requests, with retry-after'],
  ['overloaded', 'the vendor is overloaded'],
  ['quota', 'no credit left'],
  ['context_too_long', 'the conversation is too long'],
  ['server_error', 'HTTP 500'],
  ['html502', 'HTTP 502 with a page instead of JSON'],
  ['refusal', 'the model refuses'],
  ['max_tokens', 'every answer is cut off'],
];

/** The scripts that every server knows without being told. */
export const scenarios: ReadonlyMap<string, Scenario> = new Map<string, Scenario>([
  ['plain', { about: 'a short answer', steps: [{ text: 'Hello! This is a plain answer.' }] }],
  [
    'thinking',
    {
      about: 'a thought, then an answer',
      steps: [{ thinking: 'The user greets me. I greet back.', text: 'Hello after some thought.' }],
    },
  ],
  [
    'shell',
    {
      about: 'runs `echo hello`',
      steps: [
        { text: 'Running a command.', tools: [{ shell: 'echo hello' }] },
        { text: 'It ran.' },
      ],
    },
  ],
  [
    'write',
    {
      about: 'writes hello.txt',
      steps: [
        { text: 'Writing a file.', tools: [{ write: { path: 'hello.txt', content: 'hello\n' } }] },
        { text: 'It is written.' },
      ],
    },
  ],
  [
    'read',
    {
      about: 'reads hello.txt',
      steps: [{ text: 'Reading a file.', tools: [{ read: 'hello.txt' }] }, { text: 'I read it.' }],
    },
  ],
  [
    'sleep',
    {
      about: 'runs `sleep 60`',
      steps: [{ text: 'Sleeping.', tools: [{ shell: 'sleep 60' }] }, { text: 'Good morning.' }],
    },
  ],
  [
    'multi',
    {
      about: 'two tools in one turn',
      steps: [
        { text: 'Running two commands.', tools: [{ shell: 'echo one' }, { shell: 'echo two' }] },
        { text: 'Both ran.' },
      ],
    },
  ],
  ['long', { about: '1 MB of text', steps: [{ text: 'All work and no play. '.repeat(47_663) }] }],
  [
    'emoji',
    {
      about: 'multi-byte characters, each split over two TCP writes',
      steps: [{ text: ['Grüße 👋🏽 ', '日本語 ', '👩‍👩‍👧‍👦 done ✅'], splitCharacters: true }],
    },
  ],
  [
    'u2028',
    {
      about: 'line separators that are not line feeds',
      steps: [{ text: 'one\u2028two\u2029three\u0085four' }],
    },
  ],
  [
    'slow',
    {
      about: '100 deltas, one every 100 ms',
      steps: [
        { text: Array.from({ length: 100 }, (_, index) => `word${index} `), deltaDelayMs: 100 },
      ],
    },
  ],
  ['empty', { about: 'an answer with nothing in it', steps: [{}] }],
  ['drop', { about: 'the stream ends in the middle', steps: [{ drop: 'mid-stream' }] }],
  ['drop-early', { about: 'closed before any answer', steps: [{ drop: 'before-headers' }] }],
  ['drop-hard', { about: 'reset in the middle', steps: [{ drop: 'hard' }] }],
  ['hang', { about: 'never answers', steps: [{ hang: 'before-headers' }] }],
  ['stall', { about: 'falls silent in the middle', steps: [{ hang: 'mid-stream' }] }],
  ...faults.map(([fault, about]): [string, Scenario] => [fault, { about, steps: [{ fault }] }]),
]);
