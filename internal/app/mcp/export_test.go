package mcp

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hobjobs/hob/internal/app/mcp/deliver"
)

// Receipts is the transport between a server and t.
func Receipts(t mcp.Transport) mcp.Transport { return receipts{t, &deliver.Delivery{}} }
