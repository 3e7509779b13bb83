import { BranchBox } from './branch-box.tsx';
import styles from './graph.module.css';
import { StepBox } from './step-box.tsx';
import { hasInside, type StepNode } from './step-tree.ts';

type Props = {
  nodes: readonly StepNode[];
  label?: string;
  /** Side by side instead of one after another. */
  isParallel?: boolean;
};

/** The steps of a chain as a graph: boxes with arrows between them; a step with others inside is a box around them. */
export function Graph({ nodes, label = 'Steps of the chain', isParallel = false }: Props) {
  const List = isParallel ? 'ul' : 'ol';
  return (
    <List className={isParallel ? styles.parallel : styles.sequence} aria-label={label}>
      {nodes.map((node) => (
        <li key={node.path}>
          {node.outline.condition && (
            <p className={styles.condition} dir="auto">
              {node.outline.condition}
            </p>
          )}
          {hasInside(node) ? <BranchBox node={node} /> : <StepBox {...node} />}
        </li>
      ))}
    </List>
  );
}
