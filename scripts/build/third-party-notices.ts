import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the package that a module is part of. */
const PACKAGE = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//;
const IS_LICENCE = /^(licen[cs]e|copying|notice)/i;
const IS_README = /^readme/i;
const LICENCE_SECTION = /^#+ *licen[cs]e\b[\s\S]*/im;
const RULE = '-'.repeat(80);
const MIT_TERMS = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

type Manifest = {
  name: string;
  version: string;
  license?: string;
  /** License field of old packages. */
  licenses?: { type: string }[];
  author?: string | { name: string };
};

/** The licence texts of the packages that these modules are part of. */
export function thirdPartyNotices(modules: Iterable<string>): string {
  const folders = new Set([...modules].flatMap((id) => PACKAGE.exec(id)?.[1] ?? []));
  const notices = [...new Set([...folders].map(noticeOf))].sort();
  return ['Baton includes the following packages.\n', ...notices].join(`\n${RULE}\n`);
}

/** Throws when the terms of a package are not known: its author has to be asked before it is bundled. */
function noticeOf(folder: string): string {
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { name, version, license, licenses } = manifest;
  const licence = license ?? licenses?.map(({ type }) => type).join(' or ');
  const texts = textsOf(folder, IS_LICENCE);
  if (texts.length === 0) texts.push(...termsWithoutFile(folder, manifest));
  return `${name} ${version}${licence ? ` (${licence})` : ''}\n\n${texts.join('\n\n')}\n`;
}

function termsWithoutFile(folder: string, { name, license, author }: Manifest): string[] {
  const section = textsOf(folder, IS_README).map((text) => LICENCE_SECTION.exec(text)?.[0].trim());
  const by = typeof author === 'string' ? author : author?.name;
  const holder = section[0] ?? `Copyright (c) ${by ?? `the authors of ${name}`}`;
  if (license === 'Unlicense') return [holder];
  if (license !== 'MIT') throw new Error(`${name} is to be bundled and has no licence file.`);
  return holder.includes('Permission is hereby granted') ? [holder] : [holder, MIT_TERMS];
}

function textsOf(folder: string, name: RegExp): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && name.test(entry.name))
    .map((entry) => readFileSync(join(folder, entry.name), 'utf8').trim());
}
