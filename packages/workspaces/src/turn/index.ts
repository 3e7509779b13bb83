export { WorkspaceHome } from '../workspace-home.ts';
export { FolderSessions } from '../worktree/folder-sessions.ts';
export { Turn } from './turn.ts';
