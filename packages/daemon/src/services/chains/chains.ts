import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  chainsFileIn,
  type LoadedChains,
  loadChains,
  outlineOf,
  widenedRights,
} from '@baton/orchestra';
import { BatonError } from '@baton/protocol';
import { type ChainsFileRecord, chainsWire } from '@baton/protocol/wire';
import type { Store } from '@baton/store';
import { userIdOf } from '../../access/principal.ts';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceOf } from '../../service/definition.ts';

/** The chains files on the daemon's machine. */
export function chains({ store }: DaemonContext): ServiceOf<'chains'> {
  return {
    path: 'chains',
    about: "Chains files on the daemon's machine. The daemon runs only files that a user trusts.",
    methods: {
      find: method(chainsWire.find, {
        about:
          'Lists the chains files of a folder, or of the folders of all sessions and chain runs.',
        allow: ['viewer'],
        async act({ query: { cwd, file } }) {
          const inFolder = cwd === undefined ? undefined : (chainsFileIn(cwd) ?? []);
          const files = file ?? inFolder ?? (await knownFiles(store));
          const found = [files].flat().flatMap((each) => loadedOrProblem(each) ?? []);
          return Promise.all(found.map((each) => fileRecord(store, each)));
        },
      }),
      trust: method(chainsWire.trust, {
        about:
          'Trusts the content of a chains file, with all rights that it gives to its agents. It fails if the file changed since the caller read it.',
        allow: ['member'],
        async act({ data: { file, hash }, principal }) {
          const loaded = loadedChains(file);
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

/** Reads a chains file; no variables of the daemon are inserted into it. */
export function loadedChains(file: string): LoadedChains {
  return loadChains({ file, cwd: dirname(file), env: {} });
}

export async function isTrusted(store: Store, hash: string): Promise<boolean> {
  return (await store.records.trustedChains.get(hash)) !== undefined;
}

type Found = { path: string } & (LoadedChains | { problem: string });

/** A chains file, or what is wrong with it; nothing when it is gone. */
function loadedOrProblem(file: string): Found | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return loadedChains(file);
  } catch (error) {
    if (!BatonError.is(error)) throw error;
    return { path: file, problem: error.message };
  }
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
      widenedRights(chain).map((right) => ({ chain: chain.name, ...right })),
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
