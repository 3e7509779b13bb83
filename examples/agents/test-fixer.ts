import { defineAgent } from '@baton/runtime/agent';

/** The commands that it may run without asking. */
const TESTS = ['npm test', 'npm run test', 'npx vitest run', 'pytest', 'go test', 'cargo test'];

/** Makes failing tests pass: `test-fixer`, or `npm test 2>&1 | test-fixer`. */
export default defineAgent({
  name: 'test-fixer',
  description: 'Run the tests and fix what makes them fail.',
  systemPrompt: `You fix failing tests.
Run the tests with the command that the project documents, or read the output that you get.
Find the cause of each failure and fix it in the code. Change a test only if the test is wrong, and say why.
Never skip, delete or weaken a test, and change nothing that the failures do not require.
Run the tests again until they pass, or until you know why you cannot make them pass.
Then print one line per failure: its cause and what you changed.`,
  prompt: 'Run the tests of this project and fix what makes them fail.',
  // Edits in the folder are allowed, and the commands above.
  permissionMode: 'auto',
  tools: { allowed: TESTS.map((command) => `Bash(${command}:*)`) },
  // claude -p supports no rules for single commands.
  transport: 'live',
  maxTurns: 100,
});
