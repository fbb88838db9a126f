--- The bridge: one process for the workspace, spoken to through vim.lsp. It is
--- started when first needed, started anew when it dies, and told of every
--- open file below the workspace folder.

local config = require("drawbridge.config")
local greeting = require("drawbridge.greeting")
local inbox = require("drawbridge.inbox")
local say = require("drawbridge.say")
local state = require("drawbridge.state")
local told = require("drawbridge.told")
local wire = require("drawbridge.wire")
local words = require("drawbridge.words")

local M = {}

--- How long a bridge may take to say its first word, in ms.
M.patience = 10000

---@class drawbridge.Error What a request failed with.
---@field kind? drawbridge.ErrorKind
---@field message string
---@field hint? string

---@class drawbridge.Bridge What is known of the running bridge.
---@field client_id integer
---@field program string
---@field root string
---@field ready boolean
---@field wire drawbridge.Wire
---@field told drawbridge.Told
---@field fault? string What it sent that it should not have.
---@field capabilities? drawbridge.ServerCapabilities

---@type drawbridge.Bridge?
local bridge
---@type string?
local session_id
---@type (fun(err?: drawbridge.Error))[]
local waiting = {}
--- Restarts since the bridge last stayed up, and what a wanted end is told by.
local restarts = 0
local stopping = false
local restarting = false
---@type uv.uv_timer_t?
local restart_timer
---@type drawbridge.Error?
local last_failure

--- How long to wait before each restart, in ms; after the last it stays down.
local backoff = { 200, 1000, 3000, 8000, 20000 }
--- A bridge that lived this long counts as one that works.
local settled_ms = 60000

---@param message string
---@param hint? string
---@param kind? drawbridge.ErrorKind
---@return drawbridge.Error
local function failure(message, hint, kind)
  return { message = message, hint = hint, kind = kind }
end

---@return vim.lsp.Client?
local function lsp_client()
  return bridge and vim.lsp.get_client_by_id(bridge.client_id) or nil
end

--- Calls back who waits for the bridge.
---@param err? drawbridge.Error
local function wake(err)
  local all = waiting
  waiting = {}
  for _, fn in ipairs(all) do
    fn(err)
  end
end

--- The bridge is not there and will not come by itself.
---@param err drawbridge.Error
local function give_up(err)
  last_failure = err
  inbox.dispatch("drawbridge/failed", err)
  wake(err)
end

--- Ends a bridge that never came to be of use. Whoever waits for it says why.
---@param entry drawbridge.Bridge
---@param what string
local function dismiss(entry, what)
  if bridge ~= entry or entry.ready or stopping then
    return
  end
  local err = failure(("the program %s %s"):format(entry.program, what), "set the option cmd; :checkhealth drawbridge tries it")
  if #waiting == 0 then
    say.failure(err)
  end
  M.stop()
  give_up(err)
end

---@param result lsp.InitializeResult
local function on_init(_, result)
  if not bridge then
    return
  end
  local server = greeting.answer(result)
  local complaint = greeting.complaint(server)
  if complaint then
    say.warn(complaint)
  end
  if not server then
    M.stop()
    give_up(failure(complaint or "no drawbridge", "set the option cmd"))
    return
  end
  bridge.ready, bridge.capabilities, last_failure = true, server, nil
  require("drawbridge.documents").attach_all(bridge.client_id, bridge.root)
  -- Only after vim.lsp has told of the documents, which follows this callback.
  vim.schedule(function()
    if bridge and bridge.ready then
      inbox.dispatch("drawbridge/ready", {})
      wake()
    end
  end)
end

--- The code of a program that cannot do what it was told: trying again helps nothing.
local usage = 2

--- The bridge says why it does not start, and will not before that is mended.
---@param ended drawbridge.Bridge
local function refused(ended)
  local why = vim.trim(ended.wire.said):match("[^\n]*$"):gsub("^drawbridge: ", "")
  local settings = why:find("%.ya?ml:%d+") and ":Drawbridge settings opens the file; saving it tries again"
  local err = failure("the bridge cannot start: " .. why, settings or "read :Drawbridge log, then :Drawbridge restart")
  if #waiting == 0 then
    say.failure(err)
  end
  give_up(err)
end

---@param ended drawbridge.Bridge
---@param started integer ms
---@param code integer
---@param signal integer
local function on_exit(ended, started, code, signal)
  if bridge ~= ended then
    return
  end
  bridge = nil
  inbox.withdraw()
  state.disconnected()
  inbox.dispatch("drawbridge/exited", { wanted = stopping, code = code, signal = signal })
  if stopping or vim.v.exiting ~= vim.NIL then
    -- Who waits is served by the next one, when there is to be one.
    if not restarting then
      wake(last_failure or failure("the bridge was stopped", ":Drawbridge restart starts it"))
    end
    return
  end
  if code == usage and not ended.ready and ended.wire.said ~= "" then
    refused(ended)
    return
  end
  local how = ended.fault or signal ~= 0 and ("was ended by signal " .. signal) or ("ended with code " .. code)
  if vim.uv.hrtime() / 1e6 - started > settled_ms then
    restarts = 0
  end
  restarts = restarts + 1
  local delay = backoff[restarts]
  if not delay then
    local err = failure(("the bridge %s, %d times"):format(how, restarts), "read :Drawbridge log, then :Drawbridge restart")
    say.failure(err)
    give_up(err)
    return
  end
  restart_timer = vim.defer_fn(function()
    restart_timer = nil
    M.start()
  end, delay)
  say.warn(("the bridge %s and is started again"):format(how))
end

--- What came from the bridge was no message of the protocol; no more of it is read.
---@param entry drawbridge.Bridge
---@param what string
local function on_broken(entry, what)
  if bridge ~= entry or entry.fault then
    return
  end
  entry.fault = what
  if entry.ready then
    entry.wire:kill()
    vim.defer_fn(function()
      entry.wire:kill(true)
    end, 1000)
  else
    dismiss(entry, what)
  end
end

---@param cmd string[]
---@param root string
---@return integer? client_id
---@return string? err
local function launch(cmd, root)
  ---@type drawbridge.Bridge
  local entry = { client_id = -1, program = vim.fs.basename(cmd[1]), root = root, ready = false, told = told.new() }
  local started = math.floor(vim.uv.hrtime() / 1e6)
  local opened, err = wire.open(cmd, {
    cwd = root,
    env = config.get().env,
    ended = function(code, signal)
      on_exit(entry, started, code, signal)
    end,
    cancelled = function(params)
      inbox.withdraw(function(asked)
        return asked == params
      end)
    end,
    broken = function(what)
      on_broken(entry, what)
    end,
  })
  if not opened then
    return nil, err
  end
  entry.wire = opened
  bridge = entry
  local patience = assert(vim.uv.new_timer())
  patience:start(M.patience, 0, function()
    patience:close()
    vim.schedule(function()
      dismiss(entry, "says nothing")
    end)
  end)
  ---@type vim.lsp.ClientConfig
  local client_config = {
    name = "drawbridge",
    cmd = function(dispatchers)
      return opened:serve(dispatchers, entry.told)
    end,
    root_dir = root,
    capabilities = greeting.capabilities(),
    handlers = inbox.handlers(),
    -- An edit of the agent counts from the moment the bridge hears of it.
    flags = { debounce_text_changes = 0 },
    on_init = on_init,
  }
  local id
  if vim.fn.has("nvim-0.11") == 1 then
    id = vim.lsp.start(client_config, {
      attach = false,
      reuse_client = function()
        return false
      end,
    })
  else
    id = vim.lsp.start_client(client_config)
  end
  if not id then
    bridge = nil
    opened:kill()
    return nil, "vim.lsp did not take it"
  end
  entry.client_id = id
  return id
end

--- Whether it can be asked. One that was told to end takes nothing any more.
---@return boolean
function M.is_ready()
  return bridge ~= nil and bridge.ready and not stopping
end

--- Starts the bridge unless it runs, and calls back when it can be asked.
---@param cb? fun(err?: drawbridge.Error)
function M.start(cb)
  if M.is_ready() then
    if cb then
      cb()
    end
    return
  end
  if cb then
    table.insert(waiting, cb)
  end
  if bridge or restart_timer then
    return
  end
  stopping = false
  local cmd, why = config.command()
  if not cmd then
    give_up(failure(why, ":checkhealth drawbridge says what to do"))
    return
  end
  require("drawbridge.wiring")
  local id, err = launch(cmd, config.root())
  if not id then
    give_up(failure(("%s did not start: %s"):format(table.concat(cmd, " "), err), ":checkhealth drawbridge says what to do"))
  end
end

--- Calls back when the bridge is ready, without starting it.
---@param cb fun(err?: drawbridge.Error)
function M.ready(cb)
  if M.is_ready() then
    cb()
  else
    table.insert(waiting, cb)
  end
end

--- Ends the bridge: asks it, and kills it when it does not listen.
---@param cb? fun()
function M.stop(cb)
  stopping = true
  if restart_timer then
    restart_timer:stop()
    restart_timer:close()
    restart_timer = nil
  end
  local client = lsp_client()
  if not bridge or not client then
    bridge = nil
    if cb then
      cb()
    end
    return
  end
  local off
  off = M.on("drawbridge/exited", function()
    off()
    if cb then
      vim.schedule(cb)
    end
  end)
  client:stop()
  local ended = bridge.wire
  vim.defer_fn(function()
    ended:kill()
    vim.defer_fn(function()
      ended:kill(true)
    end, 1000)
  end, 3000)
end

--- Ends the bridge while Neovim ends: asks it, waits a moment for it to go, and kills
--- it when it does not. Nothing that was scheduled runs meanwhile: a message could
--- ask for a key, and there may be nobody any more to press it.
function M.leave()
  stopping = true
  local client = lsp_client()
  if not client or not bridge or client.rpc.is_closing() then
    return
  end
  local function gone(ms)
    return vim.wait(ms, client.rpc.is_closing, 10, true)
  end
  client.rpc.request("shutdown", nil, function() end)
  client.rpc.notify("exit", nil)
  if gone(2000) then
    return
  end
  -- Woken, a bridge that was only stopped still ends its commands.
  bridge.wire:kill()
  if not gone(1000) then
    bridge.wire:kill(true)
    gone(500)
  end
end

--- Ends the bridge, forgets its failures, and starts it anew.
---@param cb? fun(err?: drawbridge.Error)
function M.restart(cb)
  restarting = true
  M.stop(function()
    restarting, restarts, last_failure = false, 0, nil
    M.start(cb)
  end)
end

--- Asks the bridge; starts it first when it does not run.
---@param method string
---@param params? table
---@param cb? fun(err?: drawbridge.Error, result: any)
function M.request(method, params, cb)
  cb = cb or function() end
  M.start(function(err)
    local client = lsp_client()
    if err or not client then
      cb(err or failure("the bridge is not running"))
      return
    end
    local answered = false
    local off
    local function answer(e, result)
      if not answered then
        answered = true
        off()
        cb(e, result)
      end
    end
    -- A bridge that dies answers nothing, and vim.lsp forgets who asked.
    off = M.on("drawbridge/exited", function()
      answer(failure("the bridge ended before it answered"))
    end)
    local sent = client.rpc.request(method, params or vim.empty_dict(), function(e, result)
      if e then
        local data = type(e.data) == "table" and e.data or {}
        answer(failure(words.plain(e.message or "unknown error"), words.help(data.hint, data.kind), data.kind))
      else
        answer(nil, result ~= vim.NIL and result or nil)
      end
    end)
    if not sent then
      answer(failure("the bridge does not listen any more"))
    end
  end)
end

--- Tells the bridge something; nothing happens when it does not run.
---@param method string
---@param params table
function M.notify(method, params)
  local client = lsp_client()
  if client and bridge and bridge.ready then
    client.rpc.notify(method, params)
  end
end

--- Hears every notification of a method, in the order they come. Besides those of
--- the protocol there are `drawbridge/ready`, `drawbridge/exited` and
--- `drawbridge/failed`.
---@param method string
---@param fn fun(params: table)
---@return fun() off
function M.on(method, fn)
  return inbox.on(method, fn)
end

--- Answers a request of the bridge. Must be called before the bridge starts,
--- since what is answered is announced to it.
---@param method string
---@param fn drawbridge.Answerer
function M.answer(method, fn)
  inbox.answer(method, fn)
end

--- The session that the editor is in.
---@return string?
function M.session()
  return session_id
end

---@param id string?
function M.set_session(id)
  session_id = id
  state.set_current(id)
end

--- What the running bridge announced.
---@return drawbridge.ServerCapabilities?
function M.capabilities()
  return bridge and bridge.capabilities
end

--- The workspace folder of the running bridge.
---@return string?
function M.root()
  return bridge and bridge.root
end

---@return integer?
function M.client_id()
  return bridge and bridge.client_id ~= -1 and bridge.client_id or nil
end

--- The version of a document that the bridge was last told of.
---@param uri string
---@return integer? version nil when it is not open there
function M.version_of(uri)
  return bridge and bridge.told:version(uri)
end

--- Tells the bridge of a document's encoding, where that is news to it.
---@param bufnr integer
function M.tell_encoding(bufnr)
  local encoding = bridge and bridge.ready and bridge.told:encoding(vim.uri_from_bufnr(bufnr))
  if encoding then
    M.notify("document/encoding", encoding)
  end
end

--- Why the bridge is not there, when that is so.
---@return drawbridge.Error?
function M.failure()
  return last_failure
end

return M
