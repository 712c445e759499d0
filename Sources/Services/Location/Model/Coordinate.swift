internal import RealModule

/// A place on the WGS 84 ellipsoid.
package struct Coordinate: Hashable, Sendable, Codable {
    /// Degrees, north is positive.
    package var latitude: Double
    /// Degrees, east is positive.
    package var longitude: Double

    package init(_ latitude: Double, _ longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    package var isValid: Bool { abs(latitude) <= 90 && abs(longitude) <= 180 }
}

// MARK: On a sphere

extension Coordinate {
    /// Of a sphere with the ellipsoid's mean radius, in metres.
    package static let meanRadius = 6_371_008.8

    static let radian = Double.pi / 180

    /// Metres along a great circle of the mean sphere: off by half a percent at most, and cheap.
    package func roughDistance(to other: Coordinate) -> Double {
        let (a, b) = (latitude * Self.radian, other.latitude * Self.radian)
        let sines = (Double.sin((b - a) / 2), Double.sin((other.longitude - longitude) * Self.radian / 2))
        let chord = sines.0 * sines.0 + Double.cos(a) * Double.cos(b) * sines.1 * sines.1
        return 2 * Self.meanRadius * Double.asin(min(1, chord.squareRoot()))
    }

    /// Degrees from north, clockwise, in which the other one lies: 0 up to 360.
    package func bearing(to other: Coordinate) -> Double {
        let (a, b) = (latitude * Self.radian, other.latitude * Self.radian)
        let turn = (other.longitude - longitude) * Self.radian
        let east = Double.sin(turn) * Double.cos(b)
        let north = Double.cos(a) * Double.sin(b) - Double.sin(a) * Double.cos(b) * Double.cos(turn)
        let degrees = Double.atan2(y: east, x: north) / Self.radian
        return degrees < 0 ? degrees + 360 : degrees
    }

    /// So many metres from here in a direction, on the mean sphere.
    package func moved(_ metres: Double, bearing: Double) -> Coordinate {
        let (a, way, turn) = (latitude * Self.radian, metres / Self.meanRadius, bearing * Self.radian)
        let sine = Double.sin(a) * Double.cos(way) + Double.cos(a) * Double.sin(way) * Double.cos(turn)
        let b = Double.asin(max(-1, min(1, sine)))
        let east = Double.atan2(
            y: Double.sin(turn) * Double.sin(way) * Double.cos(a), x: Double.cos(way) - Double.sin(a) * sine)
        let longitude = longitude + east / Self.radian
        return Coordinate(
            b / Self.radian, longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude)
    }
}

// MARK: On the ellipsoid

extension Coordinate {
    /// Metres along the shortest way on the ellipsoid, as Vincenty's inverse formula has it; where that does not
    /// converge, which is almost on the other side of the earth, on the mean sphere.
    package func distance(to other: Coordinate) -> Double {
        guard self != other else { return 0 }
        let ellipsoid = (a: 6_378_137.0, f: 1 / 298.257_223_563)
        let b = ellipsoid.a * (1 - ellipsoid.f)
        let span = (other.longitude - longitude) * Self.radian
        func reduced(_ latitude: Double) -> (sin: Double, cos: Double) {
            let angle = Double.atan((1 - ellipsoid.f) * Double.tan(latitude * Self.radian))
            return (Double.sin(angle), Double.cos(angle))
        }
        let (u, v) = (reduced(latitude), reduced(other.latitude))
        var lambda = span
        for _ in 0..<200 {
            let (sine, cosine) = (Double.sin(lambda), Double.cos(lambda))
            let (x, y) = (v.cos * sine, u.cos * v.sin - u.sin * v.cos * cosine)
            let sinSigma = (x * x + y * y).squareRoot()
            guard sinSigma > 0 else { return 0 }
            let cosSigma = u.sin * v.sin + u.cos * v.cos * cosine
            let sigma = Double.atan2(y: sinSigma, x: cosSigma)
            let sinAlpha = u.cos * v.cos * sine / sinSigma
            let cosSquare = 1 - sinAlpha * sinAlpha
            let middle = cosSquare == 0 ? 0 : cosSigma - 2 * u.sin * v.sin / cosSquare
            let c = ellipsoid.f / 16 * cosSquare * (4 + ellipsoid.f * (4 - 3 * cosSquare))
            let before = lambda
            let bend = sigma + c * sinSigma * (middle + c * cosSigma * (2 * middle * middle - 1))
            lambda = span + (1 - c) * ellipsoid.f * sinAlpha * bend
            guard abs(lambda - before) < 1e-12 else { continue }
            let uSquare = cosSquare * (ellipsoid.a * ellipsoid.a - b * b) / (b * b)
            return b * Self.stretched(uSquare, sigma, sinSigma, cosSigma, middle)
        }
        return roughDistance(to: other)
    }

    /// The arc, as it is on the ellipsoid.
    private static func stretched(
        _ u: Double, _ sigma: Double, _ sine: Double, _ cosine: Double, _ middle: Double
    ) -> Double {
        let a = 1 + u / 16_384 * (4096 + u * (-768 + u * (320 - 175 * u)))
        let b = u / 1024 * (256 + u * (-128 + u * (74 - 47 * u)))
        let inner = cosine * (2 * middle * middle - 1)
        let outer = middle * (4 * sine * sine - 3) * (4 * middle * middle - 3)
        return a * (sigma - b * sine * (middle + b / 4 * (inner - b / 6 * outer)))
    }
}

// MARK: Nearby

extension Coordinate {
    /// Metres on the ellipsoid, from its curvature half-way: exact to a centimetre within ten kilometres, and cheap.
    /// Farther off as `distance` has it.
    package func nearDistance(to other: Coordinate) -> Double {
        var span = other.longitude - longitude
        if span > 180 { span -= 360 } else if span < -180 { span += 360 }
        let middle = (latitude + other.latitude) / 2
        guard abs(span) < 0.2, abs(latitude - other.latitude) < 0.2, abs(middle) < 85 else {
            return distance(to: other)
        }
        let square = 0.006_694_379_990_14
        let sine = Double.sin(middle * Self.radian)
        let w = 1 - square * sine * sine
        let east = 6_378_137 / w.squareRoot() * Double.cos(middle * Self.radian) * span * Self.radian
        let north = 6_378_137 * (1 - square) / (w * w.squareRoot()) * (other.latitude - latitude) * Self.radian
        return (east * east + north * north).squareRoot()
    }
}
