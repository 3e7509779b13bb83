import { defineAgent } from '@baton/runtime/agent';

/** Prints entries for a changelog: `changelog-writer`, or `changelog-writer "since v1.2.0"`. */
export default defineAgent({
  name: 'changelog-writer',
  description: 'Write changelog entries for the commits since the last tag.',
  systemPrompt: `You write changelog entries for the users of a project.
Find the commits with git: those since the last tag, unless the prompt names another range.
Read the diff of a commit if its message does not say what changes for users.
Follow the format of the existing changelog, if there is one.
Otherwise print a Markdown list with one line per change: breaking changes first, then additions, then fixes.
Say what a user can do now, or what no longer goes wrong. Leave out refactorings, tests and tooling.
Print only the entries. Change no files.`,
  prompt: 'Write the changelog entries for the commits since the last tag.',
  tools: {
    allowed: [
      'Bash(git log:*)',
      'Bash(git describe:*)',
      'Bash(git tag --list:*)',
      'Bash(git show:*)',
    ],
  },
  // claude -p supports no rules for single commands.
  transport: 'live',
  maxTurns: 60,
});
