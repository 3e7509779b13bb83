import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LiveScreen, PlainScreen } from './screen.ts';
import { VirtualTerminal } from './testing/virtual-terminal.ts';

const final = (body: string) => ({ body, choices: [], isDraft: false });
const draft = (body: string) => ({ body, choices: [], isDraft: true });

function liveScreen(columns = 20, rows = 10) {
  const terminal = new VirtualTerminal(columns, rows);
  return { terminal, screen: new LiveScreen(terminal, (text) => void terminal.write(text)) };
}

/** What a terminal shows that gets a text at once. */
function shownAtOnce(text: string, columns: number): string[] {
  const terminal = new VirtualTerminal(columns, 1000);
  terminal.write(text);
  return terminal.lines;
}

describe('LiveScreen', () => {
  const text = fc
    .array(fc.constantFrom('a', 'bc', 'def ', '\n', '日', 'é', '👍'), { maxLength: 30 })
    .map((parts) => parts.join(''));
  const step = fc.record({ id: fc.constantFrom('1', '2', '3'), text, isGrowing: fc.boolean() });

  test('shows the same after any edits as if the last texts were printed at once', () => {
    const steps = fc.array(step, { maxLength: 12 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 2, max: 12 }), (given, columns) => {
        const { terminal, screen } = liveScreen(columns, 1000);
        const texts = new Map<string, string>();
        for (const { id, text, isGrowing } of given) {
          const body = isGrowing ? (texts.get(id) ?? '') + text : text;
          texts.set(id, body);
          screen.show(id, draft(body));
        }
        const all = [...texts.values()].map((body) => (body === '' ? '' : `${body}\n`)).join('');
        expect(terminal.lines).toEqual(shownAtOnce(all, columns));
      }),
      { numRuns: 500 },
    );
  });

  test('writes only the rest when a text grows', () => {
    const { terminal, screen } = liveScreen();
    screen.show('1', draft('The answer'));
    const before = terminal.raw.length;
    screen.show('1', draft('The answer is 42.'));
    expect(terminal.raw.slice(before)).not.toContain('answer');
    expect(terminal.lines).toEqual(['The answer is 42.']);
  });

  test('writes nothing when nothing changes', () => {
    const { terminal, screen } = liveScreen();
    screen.show('1', draft('same'));
    const before = terminal.raw;
    screen.show('1', final('same'));
    expect(terminal.raw).toBe(before);
  });

  test('erases the choices of a message that has none any more', () => {
    const { terminal, screen } = liveScreen();
    screen.show('1', { ...final('Allow it?'), choices: ['[1] Yes  [2] No'] });
    screen.note('a note');
    screen.show('1', final('Allowed.'));
    expect(terminal.lines).toEqual(['Allowed.', 'a note']);
  });

  test('grows a message that is longer than the screen', () => {
    const { terminal, screen } = liveScreen(20, 5);
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    for (const [index] of lines.entries()) {
      screen.show('1', draft(lines.slice(0, index + 1).join('\n')));
    }
    expect(terminal.lines).toEqual(lines);
  });

  test('prints a text again, once it is final, if it changes above the visible rows', () => {
    const { terminal, screen } = liveScreen(20, 5);
    const rest = Array.from({ length: 8 }, (_, index) => `line ${index}`);
    screen.show('1', draft(['old', ...rest].join('\n')));
    screen.show('1', draft(['new', ...rest].join('\n')));
    expect(terminal.lines).toEqual(['old', ...rest]);
    screen.show('1', final(['new', ...rest].join('\n')));
    expect(terminal.lines).toEqual(['old', ...rest, 'new', ...rest]);
    screen.show('1', final(['new', ...rest, 'end'].join('\n')));
    expect(terminal.lines).toEqual(['old', ...rest, 'new', ...rest, 'end']);
  });

  test('does not print a text again only because choices above the visible rows are gone', () => {
    const { terminal, screen } = liveScreen(20, 3);
    screen.show('1', { ...final('Allow it?'), choices: ['[1] Yes'] });
    for (const note of ['a', 'b', 'c', 'd']) screen.note(note);
    screen.show('1', final('Allow it?'));
    expect(terminal.lines).toEqual(['Allow it?', '[1] Yes', 'a', 'b', 'c', 'd']);
  });
});

describe('PlainScreen', () => {
  test('prints final texts once, and again if they change', () => {
    let output = '';
    const screen = new PlainScreen((text) => {
      output += text;
    });
    screen.show('1', draft('wor'));
    screen.show('1', draft('working'));
    expect(output).toBe('');
    screen.show('1', final('done'));
    screen.show('1', final('done'));
    expect(output).toBe('done\n');
    screen.show('2', { ...final('Allow it?'), choices: ['[1] Yes'] });
    screen.show('2', final('Allow it?'));
    screen.show('2', final('Allowed.'));
    expect(output).toBe('done\nAllow it?\n[1] Yes\nAllowed.\n');
  });
});
