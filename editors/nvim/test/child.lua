-- A Neovim for a test: a process of its own with the plugin and the real
-- bridge, in a workspace of its own, driven by keys and looked at by Lua.
--
--   local child = require("child").start({ files = { ["a.txt"] = "one\n" }, script = '…' })
--   child:keys(":Drawbridge accept<CR>")
--   child:wait("the file is written", function() return … end)

local M = {}

local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h")
local plugin = vim.fn.fnamemodify(here, ":h")
local repository = vim.fn.fnamemodify(here, ":h:h:h")

-- The longest that anything may take, on the busiest machine; tests wait for what
-- they need, not this.
local limit_ms = 90000
M.limit_ms = limit_ms

---@class test.Child
---@field job integer
---@field pid integer
---@field folder string The workspace.
---@field home string What XDG folders lie in.
---@field env table<string, string>
local Child = {}
Child.__index = Child

---@class test.ChildOptions
---@field files? table<string, string>
---@field script? string What the model does; see docs/scripts.md.
---@field options? table More of vim.g.drawbridge.
---@field before? string Lua that runs before the plugin is loaded.
---@field same? test.Child Take over the folders of a child that ended.

---@param path string
---@param text string
local function write(path, text)
  vim.fn.mkdir(vim.fs.dirname(path), "p")
  local f = assert(io.open(path, "wb"))
  f:write(text)
  f:close()
end

---@param child test.Child
---@param options test.ChildOptions
local function launch(child, options)
  local cmd = {
    vim.v.progpath,
    "--clean",
    "-n",
    "--embed",
    "--headless",
    "--cmd",
    "set rtp^=" .. plugin,
    "--cmd",
    "cd " .. child.folder,
  }
  child.job = vim.fn.jobstart(cmd, { rpc = true, env = child.env, cwd = child.folder })
  assert(child.job > 0, "the child did not start")
  child.pid = vim.fn.jobpid(child.job)
  vim.rpcrequest(child.job, "nvim_ui_attach", 100, 40, { rgb = true })
  local settings = vim.tbl_deep_extend("force", {
    cmd = { vim.env.DRAWBRIDGE or (repository .. "/bin/drawbridge"), "serve" },
    model = "script:" .. child.home .. "/script.txt",
  }, options.options or {})
  child:lua("vim.g.drawbridge = ...", settings)
  if options.before then
    child:lua(options.before)
  end
  child:lua([[vim.cmd.runtime("plugin/drawbridge.lua")]])
end

---@param options test.ChildOptions
---@return test.Child
function M.start(options)
  local same = options.same
  local base = same and vim.fs.dirname(same.home) or vim.fn.tempname()
  local child = setmetatable({ folder = base .. "/work", home = base .. "/home" }, Child)
  vim.fn.mkdir(child.folder .. "/.git", "p")
  vim.fn.mkdir(child.home, "p")
  child.env = {
    HOME = child.home,
    XDG_CONFIG_HOME = child.home .. "/config",
    XDG_DATA_HOME = child.home .. "/data",
    XDG_STATE_HOME = child.home .. "/state",
    XDG_CACHE_HOME = child.home .. "/cache",
    NVIM = "",
  }
  for name, text in pairs(options.files or {}) do
    write(child.folder .. "/" .. name, text)
  end
  write(child.home .. "/script.txt", options.script or 'text "hello"\n')
  launch(child, options)
  M.last = child
  return child
end

--- Whether the child waits for a key and does nothing else meanwhile.
---@return boolean
function Child:blocks()
  return vim.rpcrequest(self.job, "nvim_get_mode").blocking
end

--- Runs Lua in the child.
---@param code string
---@param ... any
---@return any
function Child:lua(code, ...)
  -- Asked while it blocks, it would answer never, and the test would hang.
  if not vim.wait(limit_ms, function()
    return not self:blocks()
  end, 5) then
    error("the child waits for a key: a dialog or a message that needs Enter", 2)
  end
  -- It may come to block while it answers; then nothing but its end helps.
  local watchdog = assert(vim.uv.new_timer())
  watchdog:start(limit_ms, 0, function()
    vim.uv.kill(self.pid, "sigkill")
  end)
  local ok, result = pcall(vim.rpcrequest, self.job, "nvim_exec_lua", code, { ... })
  watchdog:close()
  if not ok then
    error(("%s\nin: %s"):format(result, code), 2)
  end
  return result
end

--- Types keys. They are typed when the child reads them, so look with wait.
---@param keys string
function Child:keys(keys)
  vim.rpcrequest(self.job, "nvim_input", keys)
end

--- Types an Ex command.
---@param command string
function Child:ex(command)
  self:keys("<Esc>:" .. command:gsub("<", "<lt>") .. "<CR>")
end

--- Waits until a condition holds; fails the test, with what the child said, when
--- it does not come to that.
---@generic T
---@param what string
---@param condition string|fun(): T Lua in the child, an expression, or a function here.
---@return T
function Child:wait(what, condition)
  local found
  -- vim.wait() alone counts no part of a millisecond, and so waits on and on.
  local late = vim.uv.hrtime() + limit_ms * 1e6
  local ok = vim.wait(limit_ms, function()
    if vim.uv.hrtime() > late then
      return true
    end
    if type(condition) == "string" then
      found = self:lua("return " .. condition)
    else
      found = condition()
    end
    return found and found ~= vim.NIL
  end, 10)
  if not ok or not found or found == vim.NIL then
    local screen, mode = table.concat(self:screen(), "\n"), vim.inspect(vim.rpcrequest(self.job, "nvim_get_mode"))
    error(("waited in vain: %s\nmode %s\nit said %s\nits screen:\n%s"):format(what, mode, self:said(), screen), 2)
  end
  return found
end

--- The lines of the conversation.
---@return string
function Child:conversation()
  return table.concat(self:lines("drawbridge://conversation") or {}, "\n")
end

--- Waits until the conversation has a text, on the screen or not.
---@param text string
function Child:stands(text)
  self:wait("the conversation has " .. text, function()
    return self:conversation():find(text, 1, true) ~= nil
  end)
end

--- What a person sees, line by line, without colours.
---@return string[]
function Child:screen()
  return self:lua([[
    local lines = {}
    vim.cmd.redraw()
    for row = 1, vim.o.lines do
      local cells = {}
      for col = 1, vim.o.columns do
        cells[col] = vim.fn.screenstring(row, col)
      end
      lines[row] = (table.concat(cells):gsub("%s+$", ""))
    end
    return lines
  ]])
end

--- Waits until a text is on the screen.
---@param text string
function Child:sees(text)
  self:wait("the screen shows " .. text, function()
    return table.concat(self:screen(), "\n"):find(text, 1, true) ~= nil
  end)
end

--- Waits until a text is on the screen no more.
---@param text string
function Child:sees_no(text)
  self:wait("the screen shows no more " .. text, function()
    return table.concat(self:screen(), "\n"):find(text, 1, true) == nil
  end)
end

--- All that was said to the person, in messages and in the conversation.
---@return string
function Child:said()
  return self:lua([[
    local said = { vim.fn.execute("messages") }
    local c = package.loaded["drawbridge.state"] and require("drawbridge.state").current()
    for _, item in ipairs(c and c.items or {}) do
      table.insert(said, item.kind == "notice" and item.text or nil)
    end
    return table.concat(said, "\n")
  ]])
end

--- Waits until something was said.
---@param text string
function Child:hears(text)
  self:wait("it says " .. text, function()
    return self:said():find(text, 1, true) ~= nil
  end)
end

--- The text of a file on disk; nil when there is none.
---@param name string
---@return string?
function Child:file(name)
  local f = io.open(self.folder .. "/" .. name, "rb")
  if f then
    local text = f:read("*a")
    f:close()
    return text
  end
end

--- The lines of a buffer, the current one when none is named.
---@param name? string The end of its name.
---@return string[]?
function Child:lines(name)
  local lines = self:lua(
    [[
    local name = ...
    if not name then return vim.api.nvim_buf_get_lines(0, 0, -1, false) end
    for _, buf in ipairs(vim.api.nvim_list_bufs()) do
      if vim.api.nvim_buf_is_loaded(buf) and vim.endswith(vim.api.nvim_buf_get_name(buf), name) then
        return vim.api.nvim_buf_get_lines(buf, 0, -1, false)
      end
    end
  ]],
    name
  )
  return lines ~= vim.NIL and lines or nil
end

--- Sends a prompt without the person's way to it: for tests of what follows.
---@param text string
function Child:prompt(text)
  self:lua(
    [[
    local text = ...
    ended = nil
    require("drawbridge.wiring")
    require("drawbridge.sessions").ensure(function(err, id)
      if err then error(vim.inspect(err)) end
      require("drawbridge.client").request("session/prompt", {
        sessionId = id, content = { { type = "text", text = text } },
      }, function(e, result) ended = e or result end)
    end)
  ]],
    text
  )
end

--- Waits until the turn is over.
---@return table
function Child:ended()
  return self:wait("the turn ends", "ended")
end

--- Stops the clock by which the plugin knows what came just now, however long the
--- test takes to do something about it.
function Child:stops_clock()
  self:lua([[
    local now = vim.uv.hrtime()
    hrtime = hrtime or vim.uv.hrtime
    vim.uv.hrtime = function() return now end
  ]])
end

--- Sets the clock right again.
function Child:starts_clock()
  self:lua("vim.uv.hrtime = hrtime")
end

--- Waits until the child has ended by itself.
---@return integer code
function Child:quits()
  return vim.fn.jobwait({ self.job }, limit_ms)[1]
end

--- Ends the child and what it started.
function Child:stop()
  pcall(vim.rpcnotify, self.job, "nvim_exec_lua", [[vim.schedule(function() vim.cmd("qall!") end)]], {})
  if self:quits() == -1 then
    vim.fn.jobstop(self.job)
    vim.fn.jobwait({ self.job }, 2000)
    error("the child did not end by :qall!")
  end
end

return M
