--- The prompt: a small buffer below the conversation in which one types with
--- everything Neovim has. Sending is a key of its own, so that Enter makes a new
--- line while typing and never answers anything but this.

local client = require("drawbridge.client")
local config = require("drawbridge.config")
local history = require("drawbridge.history")
local mentions = require("drawbridge.mentions")
local own = require("drawbridge.own")
local state = require("drawbridge.state")

local M = {}

local ns = vim.api.nvim_create_namespace("drawbridge.prompt")

---@type integer?
local buffer
--- What was typed in a buffer that somebody deleted.
local typed = ""
--- The turn whose place the next prompt takes, while one is edited again.
---@type string?
local replaces

---@return integer?
function M.buffer()
  return own.whole(buffer) and buffer or nil
end

---@return string
local function text()
  local b = M.buffer()
  return b and table.concat(vim.api.nvim_buf_get_lines(b, 0, -1, false), "\n") or ""
end

--- What the empty prompt says, and what is special about the next sending.
function M.draw_hint()
  local b = M.buffer()
  if not b then
    return
  end
  vim.api.nvim_buf_clear_namespace(b, ns, 0, -1)
  local c = state.current()
  if replaces then
    vim.api.nvim_buf_set_extmark(b, ns, 0, 0, {
      virt_text = { { "  takes the last prompt's place", "DrawbridgeWaiting" } },
      virt_text_pos = "eol",
    })
  elseif vim.trim(text()) == "" then
    local what = c and c.turnId and "Add a word to the turn …" or "Ask for a change, @ names a file …"
    vim.api.nvim_buf_set_extmark(b, ns, 0, 0, {
      virt_text = { { what, "DrawbridgePlaceholder" } },
      virt_text_pos = "overlay",
    })
  end
end

--- Puts a text into the prompt.
---@param new string
---@param opts? { append?: boolean }
function M.set(new, opts)
  local b = M.open_buffer()
  local lines = vim.split(new, "\n", { plain = true })
  if opts and opts.append and vim.trim(text()) ~= "" then
    vim.api.nvim_buf_set_lines(b, -1, -1, false, lines)
  else
    vim.api.nvim_buf_set_lines(b, 0, -1, false, lines)
  end
  for _, win in ipairs(vim.fn.win_findbuf(b)) do
    local last = vim.api.nvim_buf_line_count(b)
    local line = vim.api.nvim_buf_get_lines(b, last - 1, last, false)[1] or ""
    vim.api.nvim_win_set_cursor(win, { last, #line })
  end
  M.draw_hint()
end

--- Sends a text with all it mentions.
---@param what string
---@param opts? { replaces?: string }
function M.say(what, opts)
  opts = opts or {}
  local sessions = require("drawbridge.sessions")
  local content = { { type = "text", text = what } }
  vim.list_extend(content, mentions.blocks(what))
  history.add(what)
  sessions.say(content, { replaces = opts.replaces }, function(err)
    if err then
      -- Nothing that was typed is lost.
      if vim.trim(text()) == "" then
        M.set(what)
      end
      require("drawbridge.say").failure(err)
    end
  end)
end

--- Sends what is in the prompt.
function M.submit()
  local what = vim.trim(text())
  if what == "" then
    return
  end
  local taking = replaces
  replaces = nil
  local b = M.buffer() --[[@as integer]]
  vim.api.nvim_buf_set_lines(b, 0, -1, false, { "" })
  history.rewind()
  M.say(what, { replaces = taking })
  M.draw_hint()
end

--- Puts the last prompt here again; sending it takes that one's place.
function M.resend()
  local c = state.current()
  if not c or not c.lastPrompt then
    require("drawbridge.say").info("there is no prompt to edit yet")
    return
  end
  if c.turnId then
    require("drawbridge.say").info("the turn is still running; :Drawbridge stop ends it")
    return
  end
  local last
  for _, item in ipairs(c.items) do
    if item.kind == "prompt" and item.turnId == c.lastPrompt then
      last = item
    end
  end
  M.open({ insert = true })
  M.set(last and require("drawbridge.items").prompt_text(last.blocks) or "")
  replaces = c.lastPrompt
  M.draw_hint()
end

--- Shows the prompt, ready to be typed in. Insert mode is only ever begun by what
--- a person did just now: later it would take keys that are meant for elsewhere.
---@param opts? { insert?: boolean }
function M.open(opts)
  require("drawbridge.window").open({ focus = "prompt" })
  if opts and opts.insert then
    vim.cmd("startinsert!")
  end
end

--- Mentions a part of a buffer in the prompt. One that is no file is quoted.
---@param bufnr integer
---@param first integer
---@param last integer
function M.mention(bufnr, first, last)
  local mention = mentions.of_range(bufnr, first, last)
  if mention then
    local before = text()
    M.set((vim.trim(before) == "" and "" or before .. " ") .. mention .. " ")
    return
  end
  local lines = vim.api.nvim_buf_get_lines(bufnr, first - 1, last, false)
  table.insert(lines, 1, "```")
  vim.list_extend(lines, { "```", "" })
  M.set(table.concat(lines, "\n"), { append = true })
end

---@param step -1|1
---@param key string
---@return string keys for an <expr> map
local function browse(step, key)
  local line = vim.api.nvim_win_get_cursor(0)[1]
  local edge = step == -1 and line == 1 or step == 1 and line == vim.api.nvim_buf_line_count(0)
  if vim.fn.pumvisible() == 1 or not edge then
    return key
  end
  vim.schedule(function()
    local found = history.step(step, text())
    if found then
      M.set(found)
    end
  end)
  return ""
end

--- Offers files while a mention is typed. The popup takes no key that it did not
--- have: without it nothing happens.
local function offer_files()
  if vim.fn.pumvisible() == 1 then
    return
  end
  local start, typed = mentions.at(vim.api.nvim_get_current_line(), vim.api.nvim_win_get_cursor(0)[2])
  if not start then
    return
  end
  mentions.refresh(function()
    local s, t = mentions.at(vim.api.nvim_get_current_line(), vim.api.nvim_win_get_cursor(0)[2])
    local here = vim.api.nvim_get_current_buf() == M.buffer() and vim.fn.mode() == "i"
    if here and s and t and (t == typed or vim.startswith(t, typed or "")) then
      local words = vim.tbl_map(function(name)
        return { word = name, menu = "file" }
      end, mentions.matching(t))
      if #words > 0 then
        vim.fn.complete(s + 1, words)
      end
    end
  end)
end

---@param b integer
local function map_keys(b)
  local keys = config.get().prompt
  vim.keymap.set({ "n", "i" }, "<Plug>(drawbridge-send)", M.submit, { buffer = b, desc = "Send the prompt" })
  if keys.submit_normal then
    vim.keymap.set("n", keys.submit_normal --[[@as string]], M.submit, { buffer = b, desc = "Send the prompt" })
  end
  if keys.submit_insert then
    -- A menu of files that is open takes what it shows and goes first.
    vim.keymap.set("i", keys.submit_insert --[[@as string]], function()
      return (vim.fn.pumvisible() == 1 and "<C-y>" or "") .. "<Cmd>lua require('drawbridge.prompt').submit()<CR>"
    end, { buffer = b, expr = true, desc = "Send the prompt" })
  end
  for key, step in pairs({ ["<Up>"] = -1, ["<Down>"] = 1 }) do
    vim.keymap.set({ "n", "i" }, key, function()
      return browse(step, key)
    end, { buffer = b, expr = true, desc = step == -1 and "Earlier prompt" or "Later prompt" })
  end
end

--- A prompt goes by being sent or by its lines being deleted, not with its buffer.
---@param b integer
local function keep(b)
  typed = table.concat(vim.api.nvim_buf_get_lines(b, 0, -1, false), "\n")
end

---@param b integer
local function restore(b)
  vim.api.nvim_buf_set_lines(b, 0, -1, false, vim.split(typed, "\n", { plain = true }))
  vim.bo[b].modified = false
  typed = ""
  M.draw_hint()
end

--- Makes the buffer, or gives the one there is.
---@return integer
function M.open_buffer()
  local b = M.buffer()
  if b then
    return b
  end
  b = own.make("drawbridge://prompt", { read = restore, unload = keep })
  buffer = b
  restore(b)
  vim.bo[b].textwidth = 0
  vim.bo[b].filetype = "drawbridge-prompt"
  vim.bo[b].completefunc = "v:lua.require'drawbridge.mentions'.complete"
  map_keys(b)
  local group = vim.api.nvim_create_augroup("drawbridge.prompt", { clear = true })
  vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI", "TextChangedP" }, {
    group = group,
    buffer = b,
    callback = function()
      if replaces and vim.trim(text()) == "" then
        replaces = nil
      end
      M.draw_hint()
    end,
  })
  vim.api.nvim_create_autocmd({ "TextChangedI", "TextChangedP" }, { group = group, buffer = b, callback = offer_files })
  -- The popup offers and inserts nothing by itself. The option is the user's and
  -- in 0.10 the same for all buffers, so it is given back.
  local completeopt
  vim.api.nvim_create_autocmd("InsertEnter", {
    group = group,
    buffer = b,
    callback = function()
      completeopt = completeopt or vim.o.completeopt
      vim.o.completeopt = "menuone,noinsert,noselect"
      mentions.refresh()
    end,
  })
  vim.api.nvim_create_autocmd({ "InsertLeave", "BufLeave" }, {
    group = group,
    buffer = b,
    callback = function()
      vim.o.completeopt = completeopt or vim.o.completeopt
      completeopt = nil
    end,
  })
  vim.api.nvim_create_autocmd({ "InsertEnter", "InsertLeave", "BufEnter" }, {
    group = group,
    buffer = b,
    desc = "drawbridge: the bar says which key sends now",
    callback = vim.schedule_wrap(function()
      vim.cmd("redrawstatus!")
    end),
  })
  M.draw_hint()
  return b
end

state.on_change(function(session_id, what)
  local item = what.item
  if what.kind == "turn" or what.kind == "current" then
    M.draw_hint()
  elseif item and item.returned and what.op == "added" and not what.replayed and session_id == client.session() then
    -- What the model did not come to read can be sent again.
    if vim.trim(text()) == "" then
      M.set(require("drawbridge.items").prompt_text(item.returned))
    end
  end
end)

return M
