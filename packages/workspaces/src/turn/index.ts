export { WorkspaceHome } from '../workspace-home.ts';
export { FolderSessions } from './folder-sessions.ts';
export { Turn } from './turn.ts';
