import { dirname } from 'node:path/posix';

/** An import of one file by another; both paths are relative to the `src` folder of their package. */
export type Import = readonly [from: string, to: string];

type Graph = Map<string, Map<string, Import[]>>;

type CyclicEdge = {
  from: string;
  to: string;
  imports: readonly Import[];
  /** The shortest way from `to` back to `from`, with both. */
  back: string[];
};

/**
 * Returns the imports that close a cycle of folders, each with the way back: those without which no folder would take
 * part in a cycle any more, chosen so that few imports have to change. At every depth, a folder counts with all the
 * folders that are deeper; its own files are not part of its subfolders. A file beside the folders counts by itself.
 */
export function closingImports(imports: readonly Import[]): string[] {
  const deepest = Math.max(...imports.flat().map((path) => path.split('/').length - 1));
  const depths = Array.from({ length: deepest }, (_, index) => index + 1);
  return [...new Set(depths.flatMap((depth) => closingAt(imports, depth)))];
}

function closingAt(imports: readonly Import[], depth: number): string[] {
  const graph = graphOf(imports, depth);
  const closing: string[] = [];
  for (;;) {
    const edge = edgeToDrop(graph);
    if (!edge) return closing;
    const cycle = [edge.from, ...edge.back].join(' → ');
    closing.push(...edge.imports.map(([file, other]) => `${file} imports ${other} (${cycle})`));
    graph.get(edge.from)?.delete(edge.to);
  }
}

/** Finds the edge to drop first: one from a subfolder to its folder, or else the one that frees most edges per import. */
function edgeToDrop(graph: Graph): CyclicEdge | undefined {
  const cyclic = cyclicEdges(graph);
  const upward = cyclic.find(({ from, to }) => from.startsWith(to));
  if (upward) return upward;
  const rated = cyclic.map((edge) => {
    const targets = new Map(graph.get(edge.from));
    targets.delete(edge.to);
    const left = cyclicEdges(new Map(graph).set(edge.from, targets));
    return { edge, freed: (cyclic.length - left.length) / edge.imports.length };
  });
  return rated.sort((one, other) => other.freed - one.freed)[0]?.edge;
}

function graphOf(imports: readonly Import[], depth: number): Graph {
  const graph: Graph = new Map();
  for (const each of imports) {
    const [from, to] = each.map((path) => placeOf(path, depth)) as [string, string];
    if (from === to) continue;
    const edges = graph.get(from) ?? new Map<string, Import[]>();
    graph.set(from, edges.set(to, [...(edges.get(to) ?? []), each]));
  }
  return graph;
}

function placeOf(path: string, depth: number): string {
  const folder = dirname(path);
  return folder === '.' ? path : `${folder.split('/').slice(0, depth).join('/')}/`;
}

/** The edges of a folder that are part of a cycle; a cycle of files beside the folders has none. */
function cyclicEdges(graph: Graph): CyclicEdge[] {
  const edges = [...graph].flatMap(([from, targets]) =>
    [...targets].map(([to, imports]) => ({ from, to, imports })),
  );
  return edges
    .filter(({ from, to }) => from.endsWith('/') || to.endsWith('/'))
    .flatMap((edge) => {
      const back = shortestWay(graph, edge.to, edge.from);
      return back ? [{ ...edge, back }] : [];
    });
}

function shortestWay(graph: Graph, start: string, end: string): string[] | undefined {
  const ways = [[start]];
  const seen = new Set([start]);
  for (const way of ways) {
    const last = way.at(-1) ?? '';
    if (last === end) return way;
    for (const next of graph.get(last)?.keys() ?? []) {
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
  return undefined;
}
