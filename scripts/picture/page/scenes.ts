import type { Said, Scene } from './hand.ts';

const DIFF = `@@ -1,7 +1,8 @@
-export function total(prices: number[]): number {
-  return prices.reduce((sum, price) => sum + price, 0);
+/** Sums up prices in cents: floats would lose some. */
+export function total(prices: readonly number[]): number {
+  return prices.reduce((sum, price) => sum + Math.round(price * 100), 0) / 100;
 }
 
 export function withTax(price: number, rate: number): number {
`;

export const done = (costUsd: number, inputTokens: number, outputTokens: number): Said => ({
  type: 'run.completed',
  outcome: 'done',
  output: 'Done.',
  durationMs: 48_000,
  usage: { costUsd, inputTokens, outputTokens, contextTokens: 48_200, contextWindow: 200_000 },
});

/** The session of the picture: an agent fixes a bug, and asks before it continues. */
export function mainScene(shop: string): Scene {
  const test = { type: 'command', command: 'npm test -- cart' };
  const edit = {
    type: 'file.edit',
    changes: [{ path: `${shop}/total.ts`, kind: 'edit', diff: DIFF }],
  };
  const push = { type: 'command', command: 'git push origin fix-rounding' };
  return {
    folder: shop,
    backend: 'claude',
    times: { began: 252, asked: 20 },
    prompt: 'The cart shows 19.989999 for three items at 6.66. Find out why, and fix it.',
    said: [
      ...message(
        't1',
        'The total is a sum of floats. I will look for where prices are added up, and whether a test covers it.',
        'thinking',
      ),
      ...message(
        'm1',
        'The cart adds prices as **floats**, so cents get lost in `total()`. I will sum up cents instead, and add a test for it.',
      ),
      {
        type: 'plan.updated',
        entries: [
          { text: 'Find where prices are added up', status: 'completed' },
          { text: 'Sum up cents', status: 'completed' },
          { text: 'Push the branch', status: 'in_progress' },
        ],
      },
      { type: 'tool.started', callId: 'c1', name: 'Edit', action: edit },
      {
        type: 'tool.completed',
        callId: 'c1',
        name: 'Edit',
        action: edit,
        outcome: 'ok',
        durationMs: 41,
      },
      { type: 'tool.started', callId: 'c2', name: 'Bash', action: test },
      {
        type: 'tool.completed',
        callId: 'c2',
        name: 'Bash',
        action: { ...test, exitCode: 0 },
        outcome: 'ok',
        durationMs: 2140,
        output:
          ' ✓ total: three items at 6.66 are 19.98\n ✓ total: nothing is 0\n ✓ withTax: rounds half up\n\n3 passed (3)\n',
      },
      ...message('m2', 'All tests pass. May I push the branch?'),
      { type: 'tool.started', callId: 'c3', name: 'Bash', action: push },
      request('p1', 'c3', 'Bash', push),
    ],
  };
}

/** The other sessions on the board. */
export function otherScenes(shop: string, site: string, api: string): Scene[] {
  const migrate = { type: 'command', command: 'npm run db:migrate -- --env staging' };
  const build = { type: 'command', command: 'npm run build' };
  return [
    {
      folder: site,
      backend: 'codex',
      times: { began: 5_460, took: 97 },
      prompt: 'Write release notes for 2.4 from the merged changes',
      said: [...message('m', 'The notes are in `notes/2.4.md`.'), done(0.21, 38_000, 2100)],
    },
    {
      folder: shop,
      backend: 'claude',
      times: { began: 2_820, took: 134 },
      prompt: 'Add a test for empty carts',
      said: [...message('m', 'Done: two tests, both pass.'), done(0.08, 12_400, 900)],
    },
    {
      folder: api,
      backend: 'codex',
      times: { began: 1_740, took: 512 },
      prompt: 'Upgrade the date library and fix what breaks',
      said: [...message('m', 'Upgraded, 14 call sites changed.'), done(0.64, 96_000, 5200)],
    },
    {
      folder: api,
      backend: 'claude',
      times: { began: 1_020, took: 41 },
      prompt: 'Load test the search endpoint',
      said: [
        {
          type: 'run.completed',
          outcome: 'failed',
          output: '',
          durationMs: 9000,
          error: {
            code: 'rate_limited',
            message: 'The provider allows no more requests until 14:30.',
            hint: 'Wait, or use another key.',
            retryable: true,
          },
        },
      ],
    },
    {
      folder: site,
      backend: 'claude',
      times: { began: 186 },
      prompt: 'Traduce la página de precios al español',
      said: [
        ...message('m', 'Estoy traduciendo la página.'),
        { type: 'tool.started', callId: 'c', name: 'Bash', action: build },
      ],
    },
    {
      folder: api,
      backend: 'codex',
      times: { began: 402 },
      prompt: 'Find out why logins are slow on Mondays',
      said: [
        { type: 'message.started', messageId: 'm', kind: 'text' },
        {
          type: 'message.delta',
          messageId: 'm',
          kind: 'text',
          text: 'The session table has no index on expiry, so the weekly cleanup',
        },
      ],
    },
    {
      folder: api,
      backend: 'claude',
      times: { began: 731, asked: 95 },
      prompt: 'Move the orders table to the new schema',
      said: [
        ...message('m', 'The migration is ready and tested on a copy.'),
        { type: 'tool.started', callId: 'c', name: 'Bash', action: migrate },
        request('p', 'c', 'Bash', migrate),
      ],
    },
    {
      folder: site,
      backend: 'claude',
      times: { began: 318, asked: 48 },
      prompt: 'Make the start page faster',
      said: [
        ...message('m', 'Most of the time goes into two pictures.'),
        {
          type: 'question.requested',
          requestId: 'q',
          questions: [
            {
              id: 'q',
              question: 'Should I convert them to AVIF, or lazy-load them?',
              options: [{ label: 'Convert them' }, { label: 'Lazy-load them' }],
            },
          ],
        },
      ],
    },
  ];
}

export function message(messageId: string, text: string, kind = 'text'): Said[] {
  return [
    { type: 'message.started', messageId, kind },
    { type: 'message.completed', messageId, kind, text },
  ];
}

function request(
  requestId: string,
  callId: string,
  tool: string,
  action: { command: string },
): Said {
  const scopes = ['once', 'session', 'always'];
  return {
    type: 'permission.requested',
    requestId,
    callId,
    tool,
    action,
    input: { command: action.command },
    scopes,
    editable: true,
  };
}
