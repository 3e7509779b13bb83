import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Release = {
  version: string;
  /** The program, as a shell script. */
  program?: string;
  postinstall?: string;
  /** The registry names the checksum of another file. */
  hasWrongChecksum?: boolean;
  /** The file of the package is never sent to its end. */
  hangs?: boolean;
};

/** A registry of npm on this machine that has one package; the last release is the newest. */
export class NpmRegistry {
  url = '';
  /** Settles when a download has begun that hangs. */
  readonly hanging: Promise<void>;
  readonly #name: string;
  readonly #program: string;
  readonly #server = createServer((request, response) => this.#answer(request.url ?? '', response));
  readonly #releases = new Map<string, Release & { file: Buffer }>();
  readonly #hung = Promise.withResolvers<void>();

  constructor(name: string, program: string) {
    this.#name = name;
    this.#program = program;
    this.hanging = this.#hung.promise;
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  publish(release: Release): void {
    this.#releases.set(release.version, { ...release, file: this.#pack(release) });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer(url: string, response: ServerResponse): void {
    const path = decodeURIComponent(url);
    const [, version] = /\/-\/package-(.+)\.tgz$/.exec(path) ?? [];
    const release = version === undefined ? undefined : this.#releases.get(version);
    if (release?.hangs) {
      response.writeHead(200, { 'content-length': release.file.length });
      response.write(release.file.subarray(0, 100));
      return this.#hung.resolve();
    }
    if (release) return void response.end(release.file);
    if (path !== `/${this.#name}`) return void response.writeHead(404).end('{}');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(this.#document()));
  }

  #document() {
    const versions = [...this.#releases.values()].map((release) => {
      const { version, file, hasWrongChecksum } = release;
      const digest = createHash('sha512').update(hasWrongChecksum ? 'another file' : file);
      const integrity = `sha512-${digest.digest('base64')}`;
      const tarball = `${this.url}${this.#name}/-/package-${version}.tgz`;
      return [version, { ...this.#manifest(release), dist: { tarball, integrity } }] as const;
    });
    const latest = versions.at(-1)?.[0];
    const tags = { latest };
    return { name: this.#name, 'dist-tags': tags, versions: Object.fromEntries(versions) };
  }

  #manifest({ version, postinstall }: Release) {
    return {
      name: this.#name,
      version,
      bin: { [this.#program]: 'program.sh' },
      ...(postinstall ? { scripts: { postinstall }, hasInstallScript: true } : {}),
    };
  }

  #pack(release: Release): Buffer {
    const folder = mkdtempSync(join(tmpdir(), 'npm-package-'));
    try {
      mkdirSync(join(folder, 'package'));
      const { program = `#!/bin/sh\necho ${release.version}\n` } = release;
      writeFileSync(join(folder, 'package/program.sh'), program, { mode: 0o755 });
      writeFileSync(join(folder, 'package/package.json'), JSON.stringify(this.#manifest(release)));
      execFileSync('tar', ['-czf', 'package.tgz', 'package'], { cwd: folder });
      return readFileSync(join(folder, 'package.tgz'));
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
}
