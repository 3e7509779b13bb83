import { join } from 'node:path';
import { homeFolder } from '@baton/config/paths/home-folder';
import { Git } from './git/git.ts';
import { MachineSlots } from './git/machine-slots.ts';
import { PrivateRepository } from './snapshot/private-repository.ts';
import { type InheritedVariables, WorkspaceFiles } from './worktree/workspace-files.ts';

type WorkspaceHomeOptions = {
  /** Folder of Baton's records and repositories; `~/.baton/workspaces` by default. */
  stateFolder?: string | undefined;
  /** Folder of new worktrees; `~/baton-workspaces` by default. */
  folder?: string | undefined;
  /** Aborting it ends every call of git. */
  signal?: AbortSignal | undefined;
  /** Variables that scripts inherit; those of this process by default. A daemon has some that are not for them. */
  inherited?: InheritedVariables | undefined;
};

/** The workspaces of this machine, as every program of the user finds them: commands, executors and daemons. */
export class WorkspaceHome {
  readonly stateFolder: string;
  readonly folder: string;
  readonly files: WorkspaceFiles;
  readonly git: Git;
  readonly inherited: InheritedVariables | undefined;

  constructor({ stateFolder, folder, signal, inherited }: WorkspaceHomeOptions = {}) {
    this.stateFolder = stateFolder ?? join(homeFolder(), '.baton/workspaces');
    this.folder = folder ?? join(homeFolder(), 'baton-workspaces');
    this.inherited = inherited;
    this.files = new WorkspaceFiles({ stateFolder: this.stateFolder });
    this.git = new Git({
      slots: new MachineSlots({ folder: join(this.stateFolder, 'slots') }),
      signal,
    });
  }

  /** Baton's own repository of a folder. */
  open(folder: string): Promise<PrivateRepository> {
    return PrivateRepository.open(this.git, this.stateFolder, folder);
  }
}
