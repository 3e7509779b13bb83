import { useParams } from 'wouter';
import { PageFrame } from '../design/page-frame.tsx';
import { SubNav } from '../design/sub-nav.tsx';
import { useTitle } from '../shell/attention.ts';
import { AgentDetails } from './details/agent-details.tsx';
import { Keys } from './keys/keys.tsx';
import { AgentList } from './list/agent-list.tsx';
import { McpServers } from './mcp/mcp-servers.tsx';

const PARTS = [
  { path: '/agents', label: 'Agents', Part: AgentList },
  { path: '/agents/keys', label: 'API keys', Part: Keys },
  { path: '/agents/mcp', label: 'MCP servers', Part: McpServers },
] as const;

/** The agents, and what they are given. */
export function Agents() {
  useTitle('Agents');
  const { part } = useParams<{ part?: string }>();
  const path = part ? `/agents/${part}` : '/agents';
  const Part = PARTS.find((each) => each.path === path)?.Part;
  if (!Part && part) return <AgentDetails key={part} id={part} />;
  return (
    <PageFrame title="Agents">
      <SubNav label="Agent sections" ways={PARTS} />
      {Part && <Part />}
    </PageFrame>
  );
}
