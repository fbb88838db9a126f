--- What this plugin and the bridge tell each other of themselves when they meet.

local inbox = require("drawbridge.inbox")

local M = {}

--- The newest protocol version this plugin speaks.
M.version = 1

--- What this plugin does, and nothing it does not.
---@return drawbridge.ClientCapabilities
function M.announced()
  return {
    version = M.version,
    approvals = inbox.answers("approval/request"),
    review = inbox.hears("change/updated"),
    terminals = inbox.hears("terminal/output"),
    events = true,
    saves = inbox.answers("editor/save"),
    refreshes = inbox.answers("editor/refresh"),
    diagnostics = inbox.answers("editor/diagnostics"),
    trust = inbox.hears("trust/required"),
  }
end

---@return lsp.ClientCapabilities
function M.capabilities()
  local all = vim.lsp.protocol.make_client_capabilities()
  all.experimental = vim.tbl_extend("force", all.experimental or {}, { drawbridge = M.announced() })
  all.workspace = all.workspace or {}
  all.workspace.workspaceEdit = { documentChanges = true }
  all.workspace.didChangeWatchedFiles = nil
  return all
end

--- What the bridge says of itself; nil when it is none.
---@param result lsp.InitializeResult
---@return drawbridge.ServerCapabilities?
function M.answer(result)
  local experimental = type(result) == "table" and type(result.capabilities) == "table" and result.capabilities.experimental
  return type(experimental) == "table" and type(experimental.drawbridge) == "table" and experimental.drawbridge or nil
end

--- Words for both versions when they differ in a way that matters.
---@param server drawbridge.ServerCapabilities?
---@return string?
function M.complaint(server)
  if not server then
    return "the program that was started is no drawbridge of this protocol; set the option cmd"
  end
  if server.version > M.version then
    return ("the bridge speaks protocol %d, this plugin %d; update the plugin"):format(server.version, M.version)
  end
  if server.version < M.version then
    return ("the bridge %s speaks protocol %d, this plugin %d; update the bridge"):format(
      server.serverVersion,
      server.version,
      M.version
    )
  end
end

return M
