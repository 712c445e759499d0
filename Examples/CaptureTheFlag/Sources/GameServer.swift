import FoundationNetworking
import UIKit

/// A client of `server.py`, which receives a player's position and returns the positions of all players.
struct GameServer: Sendable {
    let address: URL
    /// The player on this device.
    let name: String

    struct Failure: Error {}

    func share(_ player: Player) async throws -> [Player] {
        var request = request("PUT", "players/\(name)")
        request.httpBody = try JSONEncoder().encode(player)
        return try await ask(request)
    }

    func players() async throws -> [Player] { try await ask(request("GET", "players")) }

    /// The player is on the map no longer.
    func leave() async throws -> [Player] { try await ask(request("DELETE", "players/\(name)")) }

    private func request(_ method: String, _ path: String) -> URLRequest {
        var request = URLRequest(url: address.appending(path: path), timeoutInterval: 10)
        request.httpMethod = method
        return request
    }

    private func ask(_ request: URLRequest) async throws -> [Player] {
        let (data, response) = try await URLSession.shared.data(for: request)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw Failure() }
        return try JSONDecoder().decode([Player].self, from: data)
    }
}
