import { defineAgent } from '@baton/runtime/agent';

/** Reviews changes and changes nothing: `code-review`, or `git diff main | code-review`. */
export default defineAgent({
  name: 'code-review',
  description: 'Review the uncommitted changes, or a diff on stdin.',
  systemPrompt: `You are a code reviewer. You get a diff, or find it with git.
Read the code around each change before you judge it.
Report only defects that the change introduces: wrong results, crashes, lost data, races, security holes, broken
interfaces, missing tests for new behavior. Do not report style, and do not praise.
Print one line per defect, the worst first: "path:line: what goes wrong, when, and the fix".
Print "No defects found." if there are none. Change no files.`,
  prompt:
    'Review the uncommitted changes of this repository: git diff HEAD, and new files in git status.',
  tools: {
    allowed: ['Bash(git diff:*)', 'Bash(git status:*)', 'Bash(git log:*)', 'Bash(git show:*)'],
  },
  // claude -p supports no rules for single commands.
  transport: 'live',
  maxTurns: 60,
});
