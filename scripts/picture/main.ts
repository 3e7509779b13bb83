import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { screenOf } from './screen.ts';
import { drawTerminal } from './svg.ts';

const ROOT = join(import.meta.dirname, '../..');
const COLUMNS = 92;

/** Runs the command in a real terminal, answers its questions, and draws what it shows into the README's picture. */
const folder = mkdtempSync(join(tmpdir(), 'picture-'));
const call = 'baton run --backend demo "Say hello"';
const command = call.replace(
  'baton',
  `${process.execPath} ${join(ROOT, 'packages/cli/src/main.ts')}`,
);
const output = await inTerminal(`stty cols ${COLUMNS} rows 50; cd ${folder}; ${command}`);
rmSync(folder, { recursive: true, force: true });
const shown = `\u001b[32m$\u001b[39m ${call}\n${output.replaceAll(folder, '~/project').trimEnd()}`;
writeFileSync(
  join(ROOT, 'docs/pictures/run.svg'),
  drawTerminal(call, wrapped(screenOf(shown)), COLUMNS),
);

function inTerminal(line: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    env: { ...process.env, BATON_DEMO_PACE: '10', TERM: 'xterm-256color', FORCE_COLOR: '' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let text = '';
  let answered = 0;
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const asked = stripVTControlCharacters(text).split(/\[d\] details |own answer: /).length - 1;
    if (asked <= answered) return;
    answered = asked;
    child.stdin.write(text.includes('own answer:') ? '1\r' : 'y');
  });
  child.once('close', () => resolve(text));
  return promise;
}

/** Breaks lines that are longer than the terminal is wide, as a terminal does: not before the next character. */
function wrapped(lines: ReturnType<typeof screenOf>): ReturnType<typeof screenOf> {
  return lines.flatMap((line) => {
    const rows: ReturnType<typeof screenOf> = [[]];
    let column = 0;
    for (const { text, codes } of line) {
      for (let rest = text; rest !== ''; ) {
        if (column === COLUMNS) {
          rows.push([]);
          column = 0;
        }
        const part = rest.slice(0, COLUMNS - column);
        rows.at(-1)?.push({ text: part, codes });
        column += part.length;
        rest = rest.slice(part.length);
      }
    }
    return rows;
  });
}
