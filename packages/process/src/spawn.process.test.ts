import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { readProcess } from './proc-fs.ts';
import { canVerify } from './process-table.ts';
import type { AgentProcess } from './spawn.ts';
import { killLeftovers } from './stop-process.ts';
import { isRunning, launch, launchShell, printed, temporaryFolder } from './testing.ts';

describe('a process', () => {
  test('returns its lines, including an unterminated last one, its stderr and its exit', async () => {
    const onStderrLine = vi.fn();
    const { process, lines } = await launchShell(
      'echo one; printf "two\\nthree"; echo problem >&2; exit 3',
      { onStderrLine },
    );
    expect(await process.closed).toEqual({ code: 3, signal: null });
    expect(await process.exited).toEqual({ code: 3, signal: null });
    expect(lines).toEqual(['one', 'two', 'three']);
    expect(process.stderr).toBe('problem\n');
    expect(onStderrLine.mock.calls).toEqual([['problem']]);
  });

  test('leads its own session and has the marker', async () => {
    const { process, lines } = await launchShell('env', { runId: 'a-b.c/d', env: { A: 'b' } });
    const info = readProcess(process.pid);
    await process.closed;
    expect(process.marker).toBe('BATON_RUN_a_b_c_d');
    expect(lines).toEqual(expect.arrayContaining(['A=b', 'BATON_RUN_a_b_c_d=1']));
    if (!canVerify) return;
    expect(info).toMatchObject({ pgid: process.pid, sid: process.pid });
    expect(process.startTicks).toBe(info?.startTicks);
  });

  test('finds its working directory in PWD too', async () => {
    const cwd = temporaryFolder();
    const script = 'console.log(process.env.PWD)';
    const given = { file: process.execPath, args: ['-e', script], cwd, env: { PWD: '/elsewhere' } };
    const { process: agent, lines } = await launch(given);
    await agent.closed;
    expect(lines).toEqual([cwd]);
  });

  test('reads what is written until stdin is closed', async () => {
    const { process, lines } = await launch({ file: '/bin/cat', stdin: 'pipe' });
    process.write('hello\n');
    process.write('é\n');
    process.endStdin();
    expect((await process.closed).code).toBe(0);
    expect(lines).toEqual(['hello', 'é']);
  });

  test('without stdin reads an empty one', async () => {
    const { process, lines } = await launchShell('cat; echo done');
    process.write('ignored');
    process.endStdin();
    await process.closed;
    expect(lines).toEqual(['done']);
  });

  test('may exit before it has read 10 MB of stdin', async () => {
    const { process } = await launchShell('exit 0', { stdin: 'pipe' });
    for (let i = 0; i < 10; i++) process.write('x'.repeat(1024 * 1024));
    await process.closed;
    process.write('after the end');
    process.endStdin();
    process.write('and again');
    expect(process.stdinError).toBeInstanceOf(Error);
  });

  test('may close stdout and live on', async () => {
    const launched = await launchShell('printf last; exec >&-; sleep 60');
    expect(await printed(launched, 1)).toEqual(['last']);
    expect(launched.process.alive()).toBe(true);
    launched.process.signal('SIGKILL');
    expect(await launched.process.exited).toEqual({ code: null, signal: 'SIGKILL' });
  });

  test('gets a signal while it lives, and none afterwards', async () => {
    const { process } = await launchShell('exec sleep 60');
    expect(process.alive()).toBe(true);
    expect(process.signal('SIGTERM')).toBe(true);
    expect(await process.closed).toEqual({ code: null, signal: 'SIGTERM' });
    expect(process.alive()).toBe(false);
    expect(process.signal('SIGTERM')).toBe(false);
  });

  test.runIf(canVerify)('gets no signal when its pid belongs to another start time', async () => {
    const { process } = await launchShell('exec sleep 60');
    const impostor: AgentProcess = Object.create(process, {
      startTicks: { value: (process.startTicks ?? 0) - 1 },
      alive: { value: () => true },
    });
    expect(impostor.signal('SIGKILL')).toBe(false);
    expect(isRunning(process.pid)).toBe(true);
  });

  test('reports a line that is too long to keep', async () => {
    const onLongLine = vi.fn();
    const script = 'head -c 68000000 /dev/zero | tr "\\0" x; echo; echo next';
    const { process, lines } = await launchShell(script, { onLongLine });
    await process.closed;
    expect(onLongLine.mock.calls).toEqual([['x'.repeat(64 * 1024), 68_000_000]]);
    expect(lines).toEqual(['next']);
  });
});

describe('pausing', () => {
  test('loses nothing of 5 MB from a process that ends meanwhile', async () => {
    const total = 80_000;
    const { process, lines } = await launch({
      file: '/usr/bin/env',
      args: ['seq', '-f', '%060.0f', String(total)],
    });
    process.pause();
    await nextTurn();
    expect(lines.length).toBeLessThan(total);
    process.resume();
    await process.exited;
    process.pause();
    const atExit = lines.length;
    await nextTurn();
    expect(lines.length).toBe(atExit);
    process.resume();
    await process.closed;
    expect(lines.length).toBe(total);
    expect(Number(lines.at(-1))).toBe(total);
  });

  test('buffers the lines of an exited process until they are read', async () => {
    const cwd = temporaryFolder();
    // What it leaves behind has its pipes, and notices when nobody reads them any more.
    const child = 'trap "" PIPE; while echo >&2; do sleep 0.02; done; touch let-go';
    const { process, lines } = await launchShell(`(${child}) & echo one; printf two`, { cwd });
    process.pause();
    let closed = false;
    void process.closed.then(() => {
      closed = true;
    });
    await process.exited;
    await vi.waitFor(() => expect(existsSync(join(cwd, 'let-go'))).toBe(true), 10_000);
    expect({ lines, closed }).toEqual({ lines: [], closed: false });
    process.resume();
    await process.closed;
    expect(lines).toEqual(['one', 'two']);
  });

  test('keeps the order when a reader pauses and resumes in the middle of a line', async () => {
    const seen: number[] = [];
    const { process } = await launchShell('seq 20000', {
      onLine: (line) => {
        seen.push(Number(line));
        if (seen.length % 100 !== 0) return;
        process.pause();
        if (seen.length % 200 === 0) process.resume();
        else setImmediate(() => process.resume());
      },
    });
    await process.closed;
    expect(seen).toEqual(Array.from({ length: 20_000 }, (_, i) => i + 1));
  });
});

describe('other processes with the pipes open', () => {
  const DETACHED = `trap "echo parent; exit 0" USR1
setsid sh -c "echo \\$\\$; kill -USR1 $$; exec sleep 60" & wait`;

  test('do not keep a process from closing', async () => {
    const { process, lines } = await launchShell(DETACHED);
    await process.closed;
    const [daemon] = lines;
    expect(lines).toEqual([daemon, 'parent']);
    expect(isRunning(daemon)).toBe(true);
  });

  test.runIf(canVerify)('are killed as leftovers', async () => {
    const { process, lines } = await launchShell(DETACHED);
    await process.exited;
    expect(await killLeftovers(process)).toEqual({ killed: 1, remaining: 0 });
    await process.closed;
    expect(isRunning(lines[0])).toBe(false);
    expect(await killLeftovers(process)).toEqual({ killed: 0, remaining: 0 });
  });

  test('do not keep it open by writing for ever', async () => {
    const { process, lines } = await launchShell('setsid yes & echo parent; exit 0');
    await process.closed;
    expect(lines).toContain('parent');
  });

  test('a reader that was paused and then busy loses no line', async () => {
    const { process, lines } = await launchShell('setsid sleep 60 & seq 16000; exit 0');
    process.pause();
    await process.exited;
    blockFor(400);
    process.resume();
    await process.closed;
    expect(lines.at(-1)).toBe('16000');
  });
});

test.runIf(canVerify)('thirty processes leave no file descriptor behind', async () => {
  const missing = join(temporaryFolder(), 'nothing');
  await launchShell('true').then(({ process }) => process.closed);
  const before = readdirSync('/proc/self/fd').length;
  for (let i = 0; i < 10; i++) {
    const { process: piped } = await launchShell('cat', { stdin: 'pipe' });
    piped.endStdin();
    await piped.closed;
    const { process: killed } = await launchShell('exec sleep 60', { stdin: 'pipe' });
    killed.signal('SIGKILL');
    await killed.closed;
    const { process: left } = await launchShell('setsid sleep 60 & exit 0');
    await killLeftovers(left);
    await left.closed;
    await launch({ file: missing }).catch(() => {});
    await launch({ file: 'no-such-program-anywhere' }).catch(() => {});
  }
  // Sockets of earlier tests in this process may close meanwhile.
  await vi.waitFor(() => expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before));
});

function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
