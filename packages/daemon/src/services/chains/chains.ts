import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { chainsFileIn, type LoadedChains, outlineOf } from '@baton/orchestra';
import { BatonError } from '@baton/protocol';
import { type ChainsFileRecord, chainsWire } from '@baton/protocol/wire';
import type { Store } from '@baton/store';
import { isFor, type Principal, userIdOf } from '../../access/principal.ts';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceOf } from '../../service/definition.ts';
import { isReadable, loadChainsFile } from './load-chains-file.ts';

/** The chains files on the daemon's machine. */
export function chains(context: DaemonContext): ServiceOf<'chains'> {
  const { store } = context;
  return {
    path: 'chains',
    about: "Chains files on the daemon's machine. The daemon runs only files that a user trusts.",
    methods: {
      find: method(chainsWire.find, {
        about:
          'Lists the chains files of a folder, or of the folders of all sessions and chain runs. Viewers see only those of sessions and chain runs.',
        allow: ['viewer'],
        async act({ query: { cwd, file }, principal }) {
          const named = file ?? (cwd === undefined ? undefined : (chainsFileIn(cwd) ?? []));
          const files = named ? await visible(context, [named].flat(), principal) : undefined;
          const found = await Promise.all(
            (files ?? (await knownFiles(store))).map((each) => loadedOrProblem(context, each)),
          );
          const there = found.filter((each) => each !== undefined);
          return Promise.all(there.map((each) => fileRecord(store, each)));
        },
      }),
      trust: method(chainsWire.trust, {
        about:
          'Trusts the content of a chains file, with all rights that it gives to its agents. It fails if the file changed since the caller read it.',
        allow: ['member'],
        async act({ data: { file, hash }, principal }) {
          const loaded = await loadChainsFile(context, file);
          if (loaded.hash !== hash) {
            throw new BatonError('conflict', 'The chains file has changed.', {
              hint: 'Read it again, then trust it.',
            });
          }
          const trusted_by = userIdOf(principal) ?? null;
          const trusted_at = store.now();
          await store.records.trustedChains.put({ hash, file, trusted_by, trusted_at });
          return fileRecord(store, loaded);
        },
      }),
    },
  };
}

export async function isTrusted(store: Store, hash: string): Promise<boolean> {
  return (await store.records.trustedChains.get(hash)) !== undefined;
}

type Found = { path: string } & (LoadedChains | { problem: string });

/** A chains file, or what is wrong with it; nothing when it is gone. */
async function loadedOrProblem(context: DaemonContext, file: string): Promise<Found | undefined> {
  if (!existsSync(file)) return undefined;
  try {
    return await loadChainsFile(context, file);
  } catch (error) {
    if (!BatonError.is(error)) throw error;
    return { path: file, problem: error.message };
  }
}

/** Those of some files that a caller may know about: an answer about others would tell what is on the machine. */
async function visible(
  context: DaemonContext,
  files: readonly string[],
  principal: Principal,
): Promise<string[]> {
  const known = new Set(await knownFiles(context.store));
  const isMember = isFor(['member'], principal);
  const seen = await Promise.all(
    files.map(async (each) => known.has(each) || (isMember && (await isReadable(context, each)))),
  );
  return files.filter((_each, index) => seen[index]);
}

/** The files in the folders of sessions, and those that were trusted or run. */
async function knownFiles(store: Store): Promise<string[]> {
  const folders = await store.workspaces();
  const found = folders.flatMap((folder) => chainsFileIn(folder) ?? []);
  const trusted = await store.records.trustedChains.find();
  const runs = await store.records.chainRuns.find({ orderBy: ['created_at', 'desc'], limit: 200 });
  return [...new Set([...found, ...[...trusted, ...runs].map(({ file }) => file)])];
}

async function fileRecord(store: Store, found: Found): Promise<ChainsFileRecord> {
  if ('problem' in found) {
    const { path: file, problem } = found;
    const none = { hash: '', trusted: false, widened: [], chains: [] };
    return { file, folder: dirname(file), ...none, problem };
  }
  const { path: file, folder, hash } = found;
  return {
    ...{ file, folder, hash },
    trusted: await isTrusted(store, hash),
    widened: found.chains.flatMap((chain) =>
      found.rights(chain).map((right) => ({ chain: chain.name, ...right })),
    ),
    chains: found.chains.map((chain) => ({
      name: chain.name,
      description: chain.description ?? null,
      inputs: Object.entries(chain.inputs).map(([name, input]) => ({ name, ...input })),
      outline: outlineOf(chain),
    })),
    problem: null,
  };
}
