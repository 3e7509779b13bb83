import { useSearchParams } from 'wouter';
import { useMay } from '../../data/daemon.tsx';
import { QueryResult } from '../../data/query-result.tsx';
import { useChainsFiles } from '../file/chains-query.ts';
import { ChainsFile } from './chains-file.tsx';
import { FolderSearch } from './folder-search.tsx';
import { NoChains } from './no-chains.tsx';

/** The chains files on the daemon's machine. The folder is part of the URL, so a link shows the same files. */
export function ChainsList() {
  const may = useMay('member');
  const [params, setParams] = useSearchParams();
  const folder = params.get('folder') ?? '';
  return (
    <>
      {may && (
        <FolderSearch
          key={folder}
          folder={folder}
          onSearch={(path) => setParams(path === '' ? {} : { folder: path })}
        />
      )}
      {/* The files of another folder must not be shown until the answer is there. */}
      <Files key={`in ${folder}`} folder={folder} />
    </>
  );
}

function Files({ folder }: { folder: string }) {
  const query = useChainsFiles(folder);
  return (
    <QueryResult query={query}>
      {(files) => {
        if (files.length === 0) return <NoChains folder={folder} />;
        return files.map((file) => <ChainsFile key={file.file} file={file} />);
      }}
    </QueryResult>
  );
}
