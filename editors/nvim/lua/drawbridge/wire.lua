--- The wire to the bridge: its process, and the messages of the protocol on the
--- standard input and output of it. vim.lsp is given this in place of its own,
--- which writes every message into a log when asked to, keys of providers too, which
--- answers a broken message with an error that waits for a key, and which does not
--- tell the process's number.

local log = require("vim.lsp.log")
local say = require("drawbridge.say")

local M = {}

--- No header is longer than this, and no message.
local longest_header, longest_body = 8192, 2 ^ 28

--- How much is kept of what the process says of itself.
local longest_said = 2000

--- Requests that go into no log.
local secret = { ["model/key"] = true }

---@class drawbridge.Wire
---@field pid integer
---@field said string The end of what it wrote to its standard error.
---@field private process vim.SystemObj
---@field private asked table<integer, fun(err?: lsp.ResponseError, result: any)>
---@field private count integer
---@field private broken fun(what: string)
---@field private answering table<integer|string, any> The params of what it asks and waits for, by number.
---@field private cancelled fun(params: any)
---@field private dispatchers? vim.lsp.rpc.Dispatchers
local Wire = {}
Wire.__index = Wire

---@class drawbridge.WireOptions
---@field cwd string
---@field env? table<string, string>
---@field ended fun(code: integer, signal: integer)
---@field cancelled fun(params: any) An answer to the request with these params is not wanted any more.
---@field broken fun(what: string) Something came that is no message of the protocol; nothing is read any more.

--- Takes what comes in pieces apart into messages. What is no message ends it.
---@param message fun(body: string)
---@param broken fun(what: string)
---@return fun(chunk: string)
local function reader(message, broken)
  local pieces, have, need, dead = {}, 0, 0, false
  local function bad(what)
    dead = true
    broken(what)
  end
  return function(chunk)
    if dead then
      return
    end
    table.insert(pieces, chunk)
    have = have + #chunk
    if have < need then
      return
    end
    local all, from = table.concat(pieces), 1
    need = 0
    while true do
      local head_end, body_start = all:find("\r\n\r\n", from, true)
      if not head_end then
        if #all - from >= longest_header then
          return bad("sent text without a header")
        end
        break
      end
      local header = "\n" .. all:sub(from, head_end - 1):lower()
      local length = tonumber(header:match("\ncontent%-length: *(%d+)"))
      if not length or length > longest_body then
        return bad("sent a header without a length")
      end
      if #all < body_start + length then
        need = body_start + length - from + 1
        break
      end
      message(all:sub(body_start + 1, body_start + length))
      if dead then
        return
      end
      from = body_start + length + 1
    end
    pieces = { all:sub(from) }
    have = #pieces[1]
  end
end

--- Starts the process. Nothing is read from it before `serve`.
---@param cmd string[]
---@param options drawbridge.WireOptions
---@return drawbridge.Wire?
---@return string? err
function M.open(cmd, options)
  local self = setmetatable({
    asked = {},
    answering = {},
    count = 0,
    said = "",
    broken = vim.schedule_wrap(options.broken),
    cancelled = options.cancelled,
  }, Wire)
  local read = reader(function(body)
    self:receive(body)
  end, self.broken)
  local ok, process = pcall(vim.system, cmd, {
    stdin = true,
    stdout = function(_, chunk)
      if chunk then
        read(chunk)
      end
    end,
    stderr = function(_, chunk)
      if chunk then
        self.said = (self.said .. chunk):sub(-longest_said)
        log.error("rpc", cmd[1], "stderr", chunk)
      end
    end,
    cwd = options.cwd,
    env = options.env,
    detach = vim.fn.has("win32") == 0,
  }, function(out)
    vim.schedule(function()
      options.ended(out.code, out.signal)
    end)
    -- vim.lsp speaks of an end in a message too long for one line; ours is said by
    -- who opened this, so it hears of a quiet one.
    if self.dispatchers then
      self.dispatchers.on_exit(0, 0)
    end
  end)
  if not ok then
    return nil, tostring(process)
  end
  self.process, self.pid = process, process.pid
  return self
end

--- The side that vim.lsp speaks to.
---@param dispatchers vim.lsp.rpc.Dispatchers
---@param told drawbridge.Told
---@return vim.lsp.rpc.PublicClient
function Wire:serve(dispatchers, told)
  self.dispatchers = dispatchers
  return {
    request = function(method, params, callback, no_longer_pending)
      return self:request(method, params, callback, no_longer_pending)
    end,
    notify = function(method, params)
      local sent = self:send({ method = method, params = told:pass(method, params) })
      local encoding = method == "textDocument/didOpen" and told:encoding(params.textDocument.uri)
      if encoding then
        self:send({ method = "document/encoding", params = encoding })
      end
      return sent
    end,
    is_closing = function()
      return self.process:is_closing()
    end,
    terminate = function()
      self:kill()
    end,
  }
end

--- Ends the process. One that was stopped is woken for it; one that does not listen
--- even so is ended without being asked, by whoever waits that long.
---@param hard? boolean
function Wire:kill(hard)
  if self.process:is_closing() then
    return
  end
  pcall(self.process.kill, self.process, hard and "sigkill" or "sigterm")
  if not hard and vim.fn.has("win32") == 0 then
    pcall(self.process.kill, self.process, "sigcont")
  end
end

---@private
---@param message table
---@return boolean sent
function Wire:send(message)
  if self.process:is_closing() then
    return false
  end
  if not secret[message.method] then
    log.debug("rpc.send", message)
  end
  message.jsonrpc = "2.0"
  local body = vim.json.encode(message)
  return (pcall(self.process.write, self.process, ("Content-Length: %d\r\n\r\n%s"):format(#body, body)))
end

---@private
---@param method string
---@param params any
---@param callback fun(err?: lsp.ResponseError, result: any, id: integer)
---@param no_longer_pending? fun(id: integer)
---@return boolean sent
---@return integer? id
function Wire:request(method, params, callback, no_longer_pending)
  self.count = self.count + 1
  local id = self.count
  if not self:send({ id = id, method = method, params = params }) then
    return false
  end
  self.asked[id] = function(err, result)
    if no_longer_pending then
      no_longer_pending(id)
    end
    -- vim.lsp takes it for granted that this one is answered, and well.
    local greeted = not err and type(result) == "table" and type(result.capabilities) == "table"
    if method == "initialize" and not greeted then
      self.broken("does not answer as a bridge does")
    else
      callback(err, result, id)
    end
  end
  return true, id
end

--- Runs what a message is for; what fails there is a fault of this plugin's.
---@param where string
---@param fn function
---@param ... any
local function guarded(where, fn, ...)
  local ok, result, err = xpcall(fn, debug.traceback, ...)
  if not ok then
    say.fault(where, result)
    return nil, vim.lsp.rpc.rpc_response_error(vim.lsp.protocol.ErrorCodes.InternalError, tostring(result))
  end
  return result, err
end

--- Answers a request of the bridge. What answers it may sleep in this coroutine as
--- long as a person thinks.
---@private
---@param message table
function Wire:answer(message)
  self.answering[message.id] = message.params
  local result, err = guarded(message.method, self.dispatchers.server_request, message.method, message.params)
  self.answering[message.id] = nil
  if err then
    result = nil
  elseif result == nil then
    result = vim.NIL
  end
  self:send({ id = message.id, error = err, result = result })
end

--- The bridge takes a request back. vim.lsp does not show the number of a request
--- to who answers it, so it is known here alone.
---@private
---@param params any
function Wire:cancel(params)
  local asked = type(params) == "table" and self.answering[params.id]
  if asked then
    self.cancelled(asked)
  end
end

--- Takes a message; called where little is allowed, so all else happens later, in
--- the order in which the messages came.
---@private
---@param body string
function Wire:receive(body)
  local ok, message = pcall(vim.json.decode, body, { luanil = { object = true } })
  if not ok or type(message) ~= "table" then
    return self.broken("sent what is no JSON object")
  end
  log.debug("rpc.receive", message)
  local method, id = message.method, message.id
  if type(method) == "string" and (type(id) == "number" or type(id) == "string") then
    vim.schedule(coroutine.wrap(function()
      self:answer(message)
    end))
  elseif type(method) == "string" and id == nil then
    vim.schedule(function()
      if method == "$/cancelRequest" then
        guarded(method, self.cancel, self, message.params)
      else
        guarded(method, self.dispatchers.notification, method, message.params)
      end
    end)
  elseif method == nil and type(id) == "number" and (message.error == nil or type(message.error) == "table") then
    local asked = self.asked[id]
    self.asked[id] = nil
    if asked then
      vim.schedule(function()
        guarded("an answer", asked, message.error, message.result)
      end)
    end
  elseif method == nil and id == nil and type(message.error) == "table" then
    -- What the bridge could not read had no number that it could give back.
    log.warn("rpc.receive", message.error)
  else
    self.broken("sent what is no message of the protocol")
  end
end

return M
