import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TEMPLATE_SLOT } from '../../packages/cli/src/commands/compile/fill-template.ts';
import { inAscii } from './ascii.ts';
import { bundleParts } from './bundle-cli.ts';
import { thirdPartyNotices } from './third-party-notices.ts';

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, '.cache/agent-template');
/** Everything that the template is made of. */
const SOURCES = ['packages/*/src/**/*.ts', 'scripts/build/*.ts'];
/** The part that every call needs. */
const MAIN = 'main.js';

/**
 * Loads the parts of the file. All but the first are in a comment, one JSON string per line, because V8 would spend as
 * much time on them as on the start of Node. The file runs as CommonJS and as a module, because its type is that of the
 * nearest package.json; so there is neither `require` nor `import` here.
 */
const LOADER = `
var node = process.versions.node.split('.').map(Number);
if (node[0] < 22 || (node[0] === 22 && node[1] < 14)) {
  process.stderr.write('error (usage): This program requires Node 22.14 or newer; this is ' + process.versions.node + '.\\n');
  process.exit(2);
}
var builtin = process.getBuiltinModule;
var path = typeof __filename === 'string' ? __filename : process.argv[1];
var folder = builtin('node:path').dirname(path);
var loaded = new Map();
var parts;
function load(name) {
  if (loaded.has(name)) return loaded.get(name).exports;
  var part = name === './agent.js' ? agent : name === './${MAIN}' ? main : compile(name);
  if (!part) return builtin(name) || builtin('node:module').createRequire(path)(name);
  var module = { exports: {} };
  loaded.set(name, module);
  part(module.exports, load, module, path, folder);
  return module.exports;
}
function compile(name) {
  if (!name.startsWith('./')) return undefined;
  parts ||= new Map(builtin('node:fs').readFileSync(path, 'utf8').split('\\n').flatMap(function (line) {
    return line.startsWith('PART ./') ? [line.slice(5).split(' ', 1).concat(line)] : [];
  }));
  var line = parts.get(name);
  if (!line) return undefined;
  var vm = builtin('node:vm');
  return vm.compileFunction(
    JSON.parse(line.slice(6 + name.length)),
    ['exports', 'require', 'module', '__filename', '__dirname'],
    { filename: path + '/' + name, importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER },
  );
}
load('./${MAIN}').start({ load: load, files: files });
`;

/** Builds the program that `baton compile` puts an agent file into. */
export async function compiledAgentTemplate(): Promise<string> {
  const { parts, modules } = await bundleParts();
  const main = parts.find(({ fileName }) => fileName === MAIN);
  if (!main) throw new Error(`The bundle has no ${MAIN}.`);
  const others = parts.filter((part) => part !== main);
  return [
    '#!/usr/bin/env node',
    '(function (agent, files) {',
    "'use strict';",
    'function main(exports, require, module) {',
    codeOf(main),
    '}',
    LOADER.trim(),
    `})(${TEMPLATE_SLOT});`,
    '/*',
    ...others.map((part) => `PART ./${part.fileName} ${inComment(JSON.stringify(codeOf(part)))}`),
    '',
    inComment(inAscii(thirdPartyNotices(modules))),
    '*/',
    '',
  ].join('\n');
}

function codeOf({ code }: { code: string }): string {
  return inAscii(code.replace(/\/\/# sourceMappingURL=.*\n?$/, ''));
}

/** In JSON the escaped slash is the same text. */
function inComment(text: string): string {
  return text.replaceAll('*/', '*\\/');
}

/** The template for a clone, which is built when its sources have changed. Several processes may do so at once. */
export async function cachedTemplate(): Promise<string> {
  const stamp = `${hashOfSources()}\n`;
  const cached = existsSync(CACHE) ? readFileSync(CACHE, 'utf8') : '';
  if (cached.startsWith(stamp)) return cached.slice(stamp.length);
  const template = await compiledAgentTemplate();
  mkdirSync(dirname(CACHE), { recursive: true });
  const draft = `${CACHE}.draft-${process.pid}`;
  writeFileSync(draft, stamp + template);
  renameSync(draft, CACHE);
  return template;
}

function hashOfSources(): string {
  const hash = createHash('sha256').update(readFileSync(join(ROOT, 'package-lock.json')));
  for (const name of globSync(SOURCES, { cwd: ROOT }).sort()) {
    hash.update(name).update(readFileSync(join(ROOT, name)));
  }
  return hash.digest('hex');
}
