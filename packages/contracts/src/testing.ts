import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NODE_SHEBANG } from '../../../scripts/node-shebang.ts';

/** A folder with stub agents, for the tests of the contracts. */
export class StandIns {
  readonly folder = mkdtempSync(join(tmpdir(), 'stand-in-'));
  #count = 0;

  /** Writes a Node program and gives its path. */
  program(body: string): string {
    return this.#write(NODE_SHEBANG, body);
  }

  /** Writes a shell script and gives its path. */
  script(body: string): string {
    return this.#write('#!/bin/sh\n', body);
  }

  /** A program that prints some texts and exits. */
  printing(stdout: string, stderr = '', exit = 0): string {
    return this.program(
      `process.stdout.write(${JSON.stringify(stdout)}); process.stderr.write(${JSON.stringify(stderr)}); process.exitCode = ${exit};`,
    );
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #write(beginning: string, body: string): string {
    this.#count += 1;
    const path = join(this.folder, `agent-${this.#count}`);
    writeFileSync(path, `${beginning}${body}\n`);
    chmodSync(path, 0o755);
    return path;
  }
}
