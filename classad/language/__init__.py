"""Values, operators, times and names of the ClassAd language; knows neither texts nor ads."""
