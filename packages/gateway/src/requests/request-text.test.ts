import type { PermissionRequest, Question } from '@baton/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../testing/scripted-channel.ts';
import { fitMessage } from '../text/fit-message.ts';
import { MENTIONS, neutralizeMentions } from '../text/mentions.ts';
import { permissionText, questionText, settledPermission } from './request-text.ts';

const PLATFORM = { limits: LIMITS, mentions: MENTIONS.discord };

function asked(changes: Partial<PermissionRequest>) {
  const action = { type: 'command', command: 'ls' } as const;
  const request = { requestId: 'r', tool: 'shell', action, scopes: [], ...changes };
  return permissionText(request, '/workspace', PLATFORM);
}

function command(text: string): Partial<PermissionRequest> {
  return { action: { type: 'command', command: text } };
}

describe('the text of a permission request', () => {
  test('shows the whole command and where it runs', () => {
    const action = { type: 'command', command: 'ls\nrm -r x', cwd: '/tmp' } as const;
    expect(asked({ action }).text).toBe(
      '🔒 Allow `$ ls ⏎ rm -r x`?\n```\nls\nrm -r x\n# in /tmp\n```',
    );
  });

  test('shows what an edit changes', () => {
    const changes = [
      { path: '/workspace/a.ts', kind: 'edit', diff: '-old\n+new' } as const,
      { path: 'b.ts', kind: 'delete' } as const,
    ];
    const { text } = asked({ tool: 'edit', action: { type: 'file.edit', changes } });
    expect(text).toContain('🔒 Allow `Edit a.ts, b.ts (deleted)`?');
    expect(text).toContain('/workspace/a.ts\n-old\n+new\nb.ts (deleted)');
  });

  test('shows the input of an edit without a diff', () => {
    const changes = [{ path: 'a.ts', kind: 'add' } as const];
    const { text } = asked({
      action: { type: 'file.edit', changes },
      input: { path: 'a.ts', content: 'process.exit()' },
    });
    expect(text).toContain('"content": "process.exit()"');
  });

  test('shows the input of other tools, and the reason of the agent', () => {
    const { text } = asked({
      tool: 'deploy',
      action: { type: 'other' },
      input: { to: 'production' },
      reason: 'You asked for it.',
    });
    expect(text).toBe(
      '🔒 Allow `deploy`?\n`You asked for it.`\n```\n{\n  "to": "production"\n}\n```',
    );
  });

  test('does not let the agent break out of code, hide text or mention anyone', () => {
    const { text } = asked({
      ...command('echo ```\n@everyone `id` \u202e <@123>'),
      reason: 'Harmless:\n```\nls\n```\n@here',
    });
    expect(text.match(/```/g)).toHaveLength(2);
    expect(text).toContain("`Harmless: ⏎ ''' ⏎ ls ⏎ ''' ⏎ @\u200bhere`");
    expect(text).toContain("echo '''\n@\u200beveryone `id` ⟨U+202E⟩ <@\u200b123>");
    expect(text.split('\n')[0]).toBe(
      "🔒 Allow `$ echo ''' ⏎ @\u200beveryone 'id' ⟨U+202E⟩ <@\u200b123>`?",
    );
  });

  test('has a file with what is too long', () => {
    const long = `echo ${'x'.repeat(5000)}`;
    const { text, file } = asked(command(long));
    expect(file).toBe(long);
    expect(text.endsWith('\n…\n```\nThe file has all of it.')).toBe(true);
  });

  test('always fits with its outcome, and always shows or attaches all of it', () => {
    const pieces = fc.constantFrom(
      '@here',
      '<@1>',
      '```',
      '`',
      '\n',
      '😀',
      'x'.repeat(50),
      '\u202e',
    );
    const texts = fc.array(pieces, { maxLength: 400 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, texts, (details, reason) => {
        const { text, file } = asked({ ...command(details), reason });
        const denied = { type: 'permission.resolved', decision: 'deny', by: 'person' } as const;
        const event = { ...denied, seq: 1, time: 1, runId: 'r', requestId: 'r', reason: details };
        for (const who of [undefined, 'y'.repeat(60)]) {
          const whole = `${settledPermission(event, undefined, who)}\n${text}`;
          expect(fitMessage(whole, PLATFORM).endsWith(text.slice(-40))).toBe(true);
        }
        expect(neutralizeMentions(text, MENTIONS.discord)).toBe(text);
        expect(text.match(/```/g)).toHaveLength(2);
        expect(text.includes('The file has all of it.')).toBe(file !== undefined);
      }),
      { numRuns: 200 },
    );
  });
});

describe('the text of a question', () => {
  const QUESTION: Question = { id: 'q', question: 'Which?', options: [] };

  test('has its header and descriptions, and mentions nobody', () => {
    const { text } = questionText(
      {
        ...QUESTION,
        header: 'Database',
        options: [{ label: 'SQLite', description: 'for @everyone' }],
      },
      PLATFORM,
    );
    expect(text).toBe('❓ Database: Which?\n1. SQLite – for @\u200beveryone\nChoose one.');
  });

  test('has a file if it is too long', () => {
    const options = Array.from({ length: 100 }, (_, index) => ({
      label: `Option ${index + 1}`,
      description: 'x'.repeat(50),
    }));
    const { text, file } = questionText({ ...QUESTION, options }, PLATFORM);
    expect(text.length).toBeLessThan(LIMITS.messageLength);
    expect(text.endsWith('The file has all of it.\nChoose one.')).toBe(true);
    expect(file).toContain('100. Option 100');
  });
});
