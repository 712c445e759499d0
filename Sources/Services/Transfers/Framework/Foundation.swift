// Whoever uses this uses URLSession, which lives in a module of its own on Linux.
@_exported public import Foundation
@_exported public import FoundationNetworking
