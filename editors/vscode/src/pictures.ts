/** Shows a picture that a call gave to the model in an editor of its own, out of memory: no file is written. */
import * as vscode from "vscode";
import { addressOf, fileNameOf } from "./model/pictures.ts";
import type { Sessions } from "./model/sessions.ts";
import type { Picture } from "./protocol.gen.ts";

const scheme = "drawbridge-picture";

/** Names one picture of a call. */
export interface PictureName {
  readonly sessionId: string;
  readonly callId: string;
  readonly index: number;
}

export interface Pictures extends vscode.Disposable {
  open(name: PictureName): Promise<void>;
}

export function activatePictures(sessions: Sessions): Pictures {
  const files = new PictureFiles(sessions);
  const registered = vscode.workspace.registerFileSystemProvider(scheme, files, { isReadonly: true, isCaseSensitive: true });
  return {
    open: async (name) => {
      const { call, picture } = files.find(name);
      const { sessionId, callId, index } = name;
      const query = new URLSearchParams({ session: sessionId, call: callId, index: String(index) }).toString();
      const uri = vscode.Uri.from({ scheme, path: `/${fileNameOf(call, picture)}`, query });
      await vscode.commands.executeCommand("vscode.open", uri);
    },
    dispose: () => registered.dispose(),
  };
}

class PictureFiles implements vscode.FileSystemProvider {
  readonly #sessions: Sessions;
  /** A picture never changes. */
  readonly onDidChangeFile = new vscode.EventEmitter<vscode.FileChangeEvent[]>().event;

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  find({ sessionId, callId, index }: PictureName) {
    const call = this.#sessions.get(sessionId)?.items.find((item) => item.kind === "call" && item.callId === callId);
    const picture = call?.kind === "call" ? call.images?.[index] : undefined;
    if (call?.kind !== "call" || !picture || addressOf(picture) === undefined) throw new Error("the picture is not there any more");
    return { call, picture };
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { data } = this.#of(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: Buffer.byteLength(data, "base64"), permissions: vscode.FilePermission.Readonly };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return new Uint8Array(Buffer.from(this.#of(uri).data, "base64"));
  }

  watch(): vscode.Disposable {
    return { dispose: () => undefined };
  }

  readDirectory(): never {
    throw vscode.FileSystemError.NoPermissions();
  }

  createDirectory(): never {
    throw vscode.FileSystemError.NoPermissions();
  }

  writeFile(): never {
    throw vscode.FileSystemError.NoPermissions();
  }

  delete(): never {
    throw vscode.FileSystemError.NoPermissions();
  }

  rename(): never {
    throw vscode.FileSystemError.NoPermissions();
  }

  #of(uri: vscode.Uri): Picture {
    const query = new URLSearchParams(uri.query);
    try {
      return this.find({ sessionId: query.get("session") ?? "", callId: query.get("call") ?? "", index: Number(query.get("index")) }).picture;
    } catch {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
  }
}
